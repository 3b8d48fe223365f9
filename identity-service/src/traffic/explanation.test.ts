import { expect, test } from '@jest/globals';
import { describeSuccess } from './explain-oauth.ts';
import { apiChecks, type Check, checks, decisionOf, describeCheck } from './explanation.ts';
import { oauthPaths, oauthReasons } from './oauth-reason.ts';
import type { RequestRecord } from './request-log.ts';

const record: RequestRecord = {
  id: '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60',
  at: 0,
  businessId: 7,
  method: 'PATCH',
  path: '/v2/order/ord_1',
  route: '/v2/order/{id}',
  status: 403,
  refusal: undefined,
  credentialType: 'access_token',
  credentialId: 'tok_1',
  limitId: 'grt_1',
  clientIp: '192.0.2.7',
  requiredScope: 'orders:write',
  invalidField: undefined,
  secretLastFour: undefined,
  durationMs: 12,
  upstreamMs: undefined,
  responseBytes: 40,
  userAgent: '',
  error: undefined,
};

test('each check has its own statement', () => {
  const statements = checks.map((check) => describeCheck(check, record));
  expect(new Set(statements).size).toBe(checks.length);
  expect(statements).toContain('It has the scope orders:write');
  expect(statements).toContain('The address 192.0.2.7 is on the app’s IP whitelist');
});

test('a statement says when a check requires nothing', () => {
  expect(describeCheck('scope', { ...record, requiredScope: undefined })).toBe('No scope is required');
});

test('nothing but a freeze suspends a key', () => {
  expect(describeCheck('suspended', { ...record, credentialType: 'secret_key' })).toBe(
    'The key itself is not frozen',
  );
});

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
  ['key_frozen', known, 'suspended'],
  ['application_suspended', known, 'suspended'],
  ['connection_suspended', known, 'suspended'],
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
  '%s, credential %s: checks before "%s" passed, checks after it were not reached',
  (refusal, credentialId, failed) => {
    const decision = decisionOf({ refusal, credentialId, route: '/v2/order', status: 403 });
    const inOrder: readonly Check[] = apiChecks;
    const at = inOrder.indexOf(failed);
    expect(decision.map(({ check }) => check)).toEqual(apiChecks);
    expect(decision.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: at }, () => 'passed'),
      'failed',
      ...Array.from({ length: apiChecks.length - at - 1 }, () => 'not_reached'),
    ]);
  },
);

const authorizeReasons = [
  ...['client_unknown', 'oauth_application_suspended', 'oauth_connection_suspended', 'redirect_uri_unknown'],
  ...[
    'authorization_parameters',
    'approval_denied',
    'approval_needs_page',
    'approval_second_factor',
    'oauth_unavailable',
    'oauth_unexpected',
  ],
];

const revokeOnly = ['token_foreign', 'revocation_unconfirmed'];

const tokenReasons = oauthReasons.filter((reason) => ![...authorizeReasons, ...revokeOnly].includes(reason));

test.each([
  ...authorizeReasons.map((reason) => [reason, oauthPaths.authorize] as const),
  ...tokenReasons.map((reason) => [reason, oauthPaths.token] as const),
  ...revokeOnly.map((reason) => [reason, oauthPaths.revoke] as const),
])('%s at %s: exactly one check failed, those before it passed', (refusal, route) => {
  const decision = decisionOf({ refusal, credentialId: undefined, route, status: 303 });
  const outcomes = decision.map(({ outcome }) => outcome).join(' ');
  expect(outcomes).toMatch(/^(passed )*failed( not_reached)*$/);
});

test('of a revocation that succeeded no check says that the token existed', () => {
  const revoked = { ...record, route: oauthPaths.revoke, status: 200 };
  const passed = decisionOf(revoked).map(({ check }) => describeCheck(check, revoked));
  expect(passed.slice(-2)).toEqual([
    'The token was not issued to another app',
    'Every gateway refuses the token',
  ]);
});

test.each([
  [oauthPaths.authorize, 200, 'The consent page was shown'],
  [oauthPaths.authorize, 303, 'Redirected without a page'],
  [oauthPaths.token, 200, 'Succeeded'],
])('a request to %s that succeeded with %d claims no approval', (route, status, title) => {
  expect(describeSuccess({ route, status })).toBe(title);
});

test.each([['/v2/order'], [oauthPaths.token], [oauthPaths.revoke]])(
  'a request to %s that succeeded passed every check',
  (route) => {
    const decision = decisionOf({ refusal: undefined, credentialId: known, route, status: 200 });
    expect(new Set(decision.map(({ outcome }) => outcome))).toEqual(new Set(['passed']));
  },
);
