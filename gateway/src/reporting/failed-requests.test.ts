import { createRequestBook, type FailedRequest } from './failed-requests.ts';

const limits = { all: 10, perBusiness: 4, ofNobody: 2 };

/** A request of a business; of nobody without one. */
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
    allowedOrigins: [],
  }) as const;

const ids = (requests: readonly FailedRequest[]) => requests.map(({ requestId }) => requestId);

test('what is taken is gone, oldest first', () => {
  const book = createRequestBook(limits);
  for (const id of ['a', 'b', 'c']) book.record(failed(id, 1));
  expect(ids(book.take(2))).toEqual(['a', 'b']);
  expect(ids(book.take(2))).toEqual(['c']);
  expect(book.take(2)).toEqual([]);
  expect(book.takeDropped()).toBe(0);
});

test('neither one business nor unknown callers take the room of the others', () => {
  const book = createRequestBook(limits);
  for (let i = 0; i < 9; i++) book.record(failed(`one-${i}`, 1));
  for (let i = 0; i < 9; i++) book.record(failed(`nobody-${i}`));
  book.record(failed('two', 2));
  expect(ids(book.take(20))).toEqual([
    ...['one-0', 'one-1', 'one-2', 'one-3'],
    ...['nobody-0', 'nobody-1', 'two'],
  ]);
  expect(book.takeDropped()).toBe(12);
  expect(book.takeDropped()).toBe(0);
});

test('all together have an end, too', () => {
  const book = createRequestBook(limits);
  for (let i = 0; i < 30; i++) book.record(failed(`${i}`, i));
  expect(book.take(20)).toHaveLength(10);
  expect(book.takeDropped()).toBe(20);
});

test('what is taken makes room', () => {
  const book = createRequestBook(limits);
  for (let i = 0; i < 4; i++) book.record(failed(`${i}`, 1));
  book.take(1);
  book.record(failed('in', 1));
  book.record(failed('out', 1));
  expect(ids(book.take(20))).toEqual(['1', '2', '3', 'in']);
  for (let i = 0; i < 4; i++) book.record(failed(`again-${i}`, 1));
  expect(book.take(20)).toHaveLength(4);
});
