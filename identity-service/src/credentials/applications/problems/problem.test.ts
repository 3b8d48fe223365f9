import { expect, test } from '@jest/globals';
import type { RequestGroup } from '../../../traffic/request-log.ts';
import { type Findings, problemsOf } from './problem.ts';

const group = (refusal: string | undefined, requests: number, change: Partial<RequestGroup> = {}) => ({
  ...{ method: 'POST', route: '/v2/oauth/token', status: 400, limitId: 'app_1' },
  ...{ refusal, requests, firstAt: 1, lastAt: 2, lastId: 'r', trend: [] },
  ...change,
});

const nothing: Findings = {
  client: { limitId: 'app_1', kind: 'application', id: 'app_1', name: 'Till', exists: true, isOwn: true },
  oauth: [],
  connections: [],
  early: [],
  repeatedChallenges: { requests: 0, lastAt: undefined },
};

const reasons = (findings: Partial<Findings>) =>
  problemsOf({ ...nothing, ...findings }).map(({ reason, requests }) => [reason, requests]);

test('an application without failures has no problems', () => {
  expect(problemsOf(nothing)).toEqual([]);
});

test('what ends connections weighs more than frequent mistakes, and these more than what is to be expected', () => {
  const oauth = [group('refresh_expired', 900), group('code_verifier', 3), group('refresh_reused', 1)];
  const connections = [
    { businessId: 7, groups: [group('invalid_field', 8), group(undefined, 500, { status: 503 })] },
  ];
  const early = [{ businessId: 7, requests: 2, lastAt: 5 }];
  expect(reasons({ oauth, connections, early, repeatedChallenges: { requests: 5, lastAt: 9 } })).toEqual([
    ['early_calls', 2],
    ['refresh_reused', 1],
    ['invalid_field', 8],
    ['repeated_challenge', 5],
    ['code_verifier', 3],
    ['refresh_expired', 900],
    ['503', 500],
  ]);
});

test('failures with the same reason are one problem, whichever route they were sent to', () => {
  const oauth = [
    group('client_secret_wrong', 2, { lastAt: 30 }),
    group('client_secret_wrong', 3, { route: '/v2/oauth/revoke', lastAt: 40 }),
  ];
  expect(problemsOf({ ...nothing, oauth })).toEqual([
    {
      reason: 'client_secret_wrong',
      isListed: true,
      title: 'Wrong client secret',
      advice: expect.stringContaining('last four characters'),
      anchor: 'invalid_client',
      requests: 5,
      lastAt: 40,
      businesses: [],
    },
  ]);
});

test('of API requests each problem names the businesses, the most requests first, and the advice for an app', () => {
  const denied = (requests: number) => group('insufficient_scope', requests, { status: 403 });
  const connections = [
    { businessId: 7, groups: [denied(1), { ...denied(1), method: 'GET' }] },
    { businessId: 8, groups: [denied(5)] },
  ];
  expect(problemsOf({ ...nothing, connections })).toMatchObject([
    {
      ...{ reason: 'insufficient_scope', isListed: false, requests: 7 },
      advice: expect.stringContaining('new authorization'),
      businesses: [
        { businessId: 8, requests: 5 },
        { businessId: 7, requests: 2 },
      ],
    },
  ]);
});
