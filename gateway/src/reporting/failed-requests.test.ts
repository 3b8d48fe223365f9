import { createFailedRequestBuffer, type FailedRequest } from './failed-requests.ts';

const limits = { all: 10, perBusiness: 4, unauthenticated: 2 };

/** A failed request, with or without a business. */
function failed(requestId: string, businessId?: number): FailedRequest {
  const principal = businessId === undefined ? undefined : principalOf(businessId);
  return {
    requestId,
    at: 0,
    method: 'GET',
    path: '/v2/order',
    route: '/v2/order',
    status: 403,
    refusal: 'insufficient_scope',
    invalidField: '',
    principal,
    clientIp: '192.0.2.1',
    requiredScope: 'orders:read',
  };
}

const principalOf = (businessId: number) =>
  ({
    businessId,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'key_1',
    limitId: 'key_1',
    scopes: [],
    expiresAt: undefined,
    allowedOrigins: [],
    isSandbox: false,
  }) as const;

const ids = (requests: readonly FailedRequest[]) => requests.map(({ requestId }) => requestId);

test('each failed request is taken once, oldest first', () => {
  const buffer = createFailedRequestBuffer(limits);
  for (const id of ['a', 'b', 'c']) buffer.record(failed(id, 1));
  expect(ids(buffer.take(2))).toEqual(['a', 'b']);
  expect(ids(buffer.take(2))).toEqual(['c']);
  expect(buffer.take(2)).toEqual([]);
  expect(buffer.takeDroppedCount()).toBe(0);
});

test('neither one business nor unauthenticated clients can use up the buffer of others', () => {
  const buffer = createFailedRequestBuffer(limits);
  for (let i = 0; i < 9; i++) buffer.record(failed(`one-${i}`, 1));
  for (let i = 0; i < 9; i++) buffer.record(failed(`unknown-${i}`));
  buffer.record(failed('two', 2));
  expect(ids(buffer.take(20))).toEqual([
    ...['one-0', 'one-1', 'one-2', 'one-3'],
    ...['unknown-0', 'unknown-1', 'two'],
  ]);
  expect(buffer.takeDroppedCount()).toBe(12);
  expect(buffer.takeDroppedCount()).toBe(0);
});

test('the total number of buffered requests is bounded', () => {
  const buffer = createFailedRequestBuffer(limits);
  for (let i = 0; i < 30; i++) buffer.record(failed(`${i}`, i));
  expect(buffer.take(20)).toHaveLength(10);
  expect(buffer.takeDroppedCount()).toBe(20);
});

test('taking requests frees space in the buffer', () => {
  const buffer = createFailedRequestBuffer(limits);
  for (let i = 0; i < 4; i++) buffer.record(failed(`${i}`, 1));
  buffer.take(1);
  buffer.record(failed('in', 1));
  buffer.record(failed('out', 1));
  expect(ids(buffer.take(20))).toEqual(['1', '2', '3', 'in']);
  for (let i = 0; i < 4; i++) buffer.record(failed(`again-${i}`, 1));
  expect(buffer.take(20)).toHaveLength(4);
});
