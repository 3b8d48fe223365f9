import { expect, test } from '@jest/globals';
import { invalidReasons, refusals } from '@platform/protos/vocabulary';
import { filterOf } from './dashboard.ts';
import { explainGroup } from './explain.ts';
import { oauthReasons } from './oauth-reason.ts';
import { listReasons } from './reasons.ts';

const reasons = listReasons();

const wordsOf = (wanted: string) => reasons.find(({ reason }) => reason === wanted)?.words;

/** Recorded before it is known whose request it is. */
const unattributed = [
  ...['ambiguous_path', 'authorization_header', 'content_length', 'expectation', 'framing', 'host_header'],
  ...[
    'http_version',
    'length_required',
    'missing',
    'malformed',
    'overloaded',
    'oauth_unreadable',
    'client_unknown',
  ],
];

test('every reason that a request of a business may have can be chosen', () => {
  const recorded = [...refusals, ...invalidReasons, ...oauthReasons];
  const attributed = recorded.filter((reason) => !unattributed.includes(reason));
  expect(attributed.filter((reason) => wordsOf(reason) === undefined)).toEqual([]);
  expect(unattributed.filter((reason) => wordsOf(reason) !== undefined)).toEqual([]);
});

test.each([400, 403, 404, 409, 410, 412, 413, 415, 422, 499, 500, 503])(
  'a response of a service with %d and no reason can be chosen',
  (status) => {
    const chosen = reasons.map(({ reason }) => filterOf({ reason }));
    expect(chosen.filter(({ reasonStatus }) => reasonStatus === status)).toHaveLength(1);
  },
);

test('a status that requests with a reason have, too, stands for those without one', () => {
  expect(filterOf({ reason: 'business_banned' })).toMatchObject({ reasonStatus: 403, refusal: 'none' });
  expect(filterOf({ reason: 'none' })).toMatchObject({ refusal: 'none' });
});

test('each reason has words of its own', () => {
  expect(new Set(reasons.map(({ words }) => words)).size).toBe(reasons.length);
});

test('the words are those of the list, where these do not depend on the request', () => {
  const titleOf = (refusal: string) =>
    explainGroup({ method: 'GET', route: '/v2/order', status: 400, refusal }, undefined).title;
  const varying = ['unknown', 'expired', 'method', 'invalid_body'];
  for (const reason of [...refusals, ...invalidReasons, ...oauthReasons]) {
    const words = wordsOf(reason);
    if (words !== undefined && !varying.includes(reason)) {
      expect(words.replace('OAuth: ', '')).toBe(titleOf(reason));
    }
  }
  expect(wordsOf('business_banned')).toBe('The business is banned');
});
