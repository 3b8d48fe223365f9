import { expect, test } from '@jest/globals';
import { type Check, checks, decisionOf } from './decision.ts';

const known = 'key_1';

test.each<[string | undefined, string | undefined, Check]>([
  ['ambiguous_path', undefined, 'request'],
  ['length_required', undefined, 'request'],
  ['method', undefined, 'request'],
  ['body_too_large', undefined, 'request'],
  ['missing', undefined, 'credential'],
  ['malformed', undefined, 'format'],
  ['unknown', undefined, 'found'],
  ['unknown_limited', undefined, 'found'],
  ['authorization_unavailable', undefined, 'found'],
  ['expired', known, 'expired'],
  ['business_frozen', known, 'frozen'],
  ['ip_not_allowed', known, 'address'],
  ['insufficient_scope', known, 'scope'],
  ['rate_limited', known, 'limit'],
  ['no_route', known, 'route'],
  ['method', known, 'route'],
  ['body_too_large', known, 'upstream'],
  ['upstream_timeout', known, 'upstream'],
  ['unexpected', known, 'upstream'],
  [undefined, known, 'upstream'],
])(
  '%s, credential %s: what stands before "%s" passed, what stands behind it was not reached',
  (refusal, credentialId, failed) => {
    const decision = decisionOf({ refusal, credentialId });
    const at = checks.indexOf(failed);
    expect(decision.map(({ check }) => check)).toEqual(checks);
    expect(decision.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: at }, () => 'passed'),
      'failed',
      ...Array.from({ length: checks.length - at - 1 }, () => 'not_reached'),
    ]);
  },
);
