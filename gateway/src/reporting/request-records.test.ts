import { usageService } from '@platform/protos/identity';
import type { EndedRequest } from './ended-request.ts';
import { createRequestRecordBuffer, toRecord } from './request-records.ts';

const limits = { all: 10, perBusiness: 4, unauthenticated: 2 };

/** A request that has ended, with or without a business. */
function ended(requestId: string, businessId?: number, change: Partial<EndedRequest> = {}): EndedRequest {
  return {
    requestId,
    traceId: undefined,
    at: 0,
    method: 'GET',
    path: '/v2/order',
    route: '/v2/order',
    status: 403,
    ms: 3,
    upstreamMs: undefined,
    responseBytes: 40,
    userAgent: undefined,
    clientIp: '192.0.2.1',
    principal: businessId === undefined ? undefined : principalOf(businessId),
    requiredScope: 'orders:read',
    refusal: 'insufficient_scope',
    invalidInput: undefined,
    errorBody: undefined,
    isSimulated: false,
    complete: true,
    ...change,
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

const { requestDeserialize } = usageService.RecordRequests;
const ids = (batch: Buffer) => requestDeserialize(batch).records.map(({ requestId }) => requestId);

test('each request is taken once, oldest first', () => {
  const buffer = createRequestRecordBuffer(limits, { pieces: 2, perPiece: 1 });
  for (const id of ['a', 'b', 'c']) buffer.record(ended(id, 1));
  expect(ids(buffer.take())).toEqual(['a', 'b']);
  expect(ids(buffer.take())).toEqual(['c']);
  expect(buffer.take()).toHaveLength(0);
  expect(buffer.takeDroppedCount()).toBe(0);
});

test('neither one business nor unauthenticated clients can use up the buffer of others', () => {
  const buffer = createRequestRecordBuffer(limits);
  for (let i = 0; i < 9; i++) buffer.record(ended(`one-${i}`, 1));
  for (let i = 0; i < 9; i++) buffer.record(ended(`unknown-${i}`));
  buffer.record(ended('two', 2));
  expect(ids(buffer.take())).toEqual([
    ...['one-0', 'one-1', 'one-2', 'one-3'],
    ...['unknown-0', 'unknown-1', 'two'],
  ]);
  expect(buffer.takeDroppedCount()).toBe(12);
  expect(buffer.takeDroppedCount()).toBe(0);
});

test('the total number of buffered requests is bounded', () => {
  const buffer = createRequestRecordBuffer(limits);
  for (let i = 0; i < 30; i++) buffer.record(ended(`${i}`, i));
  expect(ids(buffer.take())).toHaveLength(10);
  expect(buffer.takeDroppedCount()).toBe(20);
});

test('taking requests frees space in the buffer', () => {
  const buffer = createRequestRecordBuffer(limits, { pieces: 2, perPiece: 1 });
  for (let i = 0; i < 4; i++) buffer.record(ended(`${i}`, 1));
  buffer.take();
  for (const id of ['in', 'in too', 'out']) buffer.record(ended(id, 1));
  expect(ids(buffer.take())).toEqual(['2', '3']);
  expect(ids(buffer.take())).toEqual(['in', 'in too']);
  for (let i = 0; i < 6; i++) buffer.record(ended(`again-${i}`, 1));
  buffer.take();
  expect(ids(buffer.take())).toEqual(['again-2', 'again-3']);
  expect(buffer.take()).toHaveLength(0);
});

test('requests of a business that find no room are counted by minute', () => {
  const buffer = createRequestRecordBuffer(limits);
  for (let i = 0; i < 4; i++) buffer.record(ended(`${i}`, 1));
  for (const at of [59_999, 60_000, 60_001]) buffer.record(ended('out', 1, { at }));
  expect(buffer.takeUnlisted(1)).toEqual([{ businessId: 1, minute: 0, requests: 1 }]);
  expect(buffer.takeUnlisted(9)).toEqual([{ businessId: 1, minute: 60_000, requests: 2 }]);
  expect(buffer.takeUnlisted(9)).toEqual([]);
});

test('the number of minutes with requests that found no room is bounded', () => {
  const buffer = createRequestRecordBuffer(limits);
  for (let i = 0; i < 4; i++) buffer.record(ended(`${i}`, 1));
  for (let minute = 0; minute < 30; minute++) buffer.record(ended('out', 1, { at: minute * 60_000 }));
  expect(buffer.takeUnlisted(99)).toHaveLength(10);
  expect(buffer.takeDroppedCount()).toBe(30);
});

test('a batch holds each field of its records, in their order', () => {
  const buffer = createRequestRecordBuffer({ all: 500, perBusiness: 500, unauthenticated: 0 });
  const request = (n: number) => ended(`${n}`, 1, { path: `/v2/order/${n}${'x'.repeat(180)}`, ms: n / 4 });
  for (let n = 0; n < 400; n++) buffer.record(request(n));
  const { records } = requestDeserialize(buffer.take());
  expect(records).toMatchObject(Array.from({ length: 400 }, (_, n) => toRecord(request(n))));
});

describe('a record has', () => {
  test('the text of the error as it was sent, without a secret, and nothing of any other body', () => {
    const errorOf = (errorBody: string) => toRecord(ended('a', 1, { errorBody })).error;
    expect(errorOf('{"error":"limit: must be at most 100","status":"Bad Request","code":400}')).toBe(
      'limit: must be at most 100',
    );
    const secret = `sk_${'a1B2'.repeat(10)}`;
    expect(errorOf(JSON.stringify({ error: `no ${secret}` }))).not.toContain('a1B2a1B2');
    expect(errorOf('{"error":"xx-sk_a1B2a1B2…: is given twice"}')).toBe('... is given twice');
    for (const body of ['', 'x', '{"status":"Forbidden","code":403}', '{"error":1}']) {
      expect(errorOf(body)).toBe('');
    }
  });

  test('the User-Agent in printable text of limited length, without a secret', () => {
    const agentOf = (userAgent: string) => toRecord(ended('a', 1, { userAgent })).userAgent;
    expect(agentOf('shop/1.2 (linux)')).toBe('shop/1.2 (linux)');
    expect(agentOf('é'.repeat(300))).toHaveLength(200);
    expect(agentOf(`bot sk_${'a1B2'.repeat(10)}`)).not.toContain('a1B2a1B2');
  });
});
