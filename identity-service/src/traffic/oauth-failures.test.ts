import { expect, test } from '@jest/globals';
import type { OAuthFailure } from './oauth-failure-store.ts';
import { createOAuthFailures } from './oauth-failures.ts';

const clientOf = (digit: number) => `app_${String(digit).repeat(32)}`;

const failure = (change: Partial<OAuthFailure> = {}): OAuthFailure => ({
  requestId: 'r',
  at: 0,
  endpoint: 'token',
  method: 'POST',
  status: 401,
  reason: 'client_secret_wrong',
  publicError: 'invalid_client: client authentication failed',
  clientIp: '192.0.2.1',
  clientId: clientOf(1),
  isAuthenticated: false,
  secretLastFour: undefined,
  ...change,
});

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

test('failures beyond the limit of a client are added to its last record with the same reason', () => {
  const failures = createOAuthFailures();
  times(19, () => failures.record(failure()));
  failures.record(failure({ reason: 'client_address' }));
  times(30, () => failures.record(failure()));
  const taken = failures.take();
  expect(taken).toHaveLength(20);
  expect(taken[18]).toMatchObject({ reason: 'client_secret_wrong', requests: 31 });
  expect(taken[19]).toMatchObject({ reason: 'client_address', requests: 1 });
  expect([failures.take(), failures.takeDroppedCount()]).toEqual([[], 0]);
});

test('unauthenticated failures do not use up the records of authenticated ones or of other clients', () => {
  const failures = createOAuthFailures();
  times(50, () => failures.record(failure()));
  failures.record(failure({ isAuthenticated: true, reason: 'code_used' }));
  failures.record(failure({ clientId: clientOf(2) }));
  expect(failures.take().slice(20)).toMatchObject([
    { reason: 'code_used', requests: 1 },
    { clientId: clientOf(2), requests: 1 },
  ]);
});

test('the total is bounded, and failures without a client are dropped beyond their limit', () => {
  const failures = createOAuthFailures();
  times(25, () => failures.record(failure({ clientId: undefined })));
  expect([failures.take().length, failures.takeDroppedCount(), failures.takeDroppedCount()]).toEqual([
    20, 5, 0,
  ]);
  times(1_200, (index) => failures.record(failure({ clientId: `app_${index}` })));
  expect([failures.take().length, failures.takeDroppedCount()]).toEqual([1_000, 200]);
});
