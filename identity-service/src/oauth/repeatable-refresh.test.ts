import { describe, expect, test } from '@jest/globals';
import { createSecretHasher } from '../platform/secrets.ts';
import {
  checkIdempotencyKey,
  findRepeatedResponse,
  keepResponse,
  type RefreshRequest,
} from './repeatable-refresh.ts';

const hasher = createSecretHasher(['a pepper that is longer than 32 characters']);

const pair = {
  accessToken: 'at_1',
  refreshToken: 'rt_2',
  expiresIn: 3_600,
  scopes: ['orders:read' as const],
};

const plain = { clientId: 'app_1', repeatLostRefresh: false };
const repeating = { ...plain, repeatLostRefresh: true };
const refresh = { client: plain, token: 'rt_1', scope: undefined, idempotencyKey: undefined };
const keyed = { ...refresh, idempotencyKey: 'once' };
const switched = { ...refresh, client: repeating };
const both = { ...keyed, client: repeating };

/** The response to the second request, after this first one. */
function repeat(
  first: RefreshRequest,
  second: RefreshRequest,
  change: { readonly readAt?: number; readonly isUsed?: boolean } = {},
) {
  const kept = keepResponse(hasher, first, pair);
  const successor = {
    isUsed: change.isUsed ?? false,
    sealedResponse: kept?.sealedResponse,
    idempotencyHash: kept?.idempotencyHash,
  };
  return findRepeatedResponse(hasher, { usedAt: 1_000, readAt: change.readAt ?? 60_999, successor }, second);
}

describe('a repeated refresh', () => {
  test.each([
    ['with its Idempotency-Key', keyed, keyed, {}],
    ['with its Idempotency-Key, once the new token was used', keyed, keyed, { isUsed: true }],
    ['of an application that repeats lost refreshes', switched, switched, {}],
    ['of such an application, with another key', both, { ...both, idempotencyKey: 'twice' }, {}],
    ['of such an application, with a scope', { ...switched, scope: 'a' }, { ...switched, scope: 'a' }, {}],
  ])('%s gets the same response within a minute', (_, first, second, change) => {
    expect(repeat(first, second, change)).toEqual(pair);
    expect(repeat(first, second, { ...change, readAt: 61_000 })).toBeUndefined();
  });

  test.each([
    ['without a key', refresh, refresh, {}],
    ['with a key that the first did not have', refresh, keyed, {}],
    ['with another key', keyed, { ...keyed, idempotencyKey: 'twice' }, {}],
    ['of another client', keyed, { ...keyed, client: { ...plain, clientId: 'app_2' } }, {}],
    ['with the same key and another scope', keyed, { ...keyed, scope: 'orders:read' }, {}],
    ['with another scope', switched, { ...switched, scope: 'orders:read' }, {}],
    ['once the new token was used', switched, switched, { isUsed: true }],
    ['of an application that no longer repeats refreshes', switched, refresh, {}],
    ['with another token', switched, { ...switched, token: 'rt_0' }, {}],
  ])('%s gets no stored response', (_, first, second, change) => {
    expect(repeat(first, second, change)).toBeUndefined();
  });

  test('gets no response when none is stored or the next token is not on record', () => {
    const kept = { isUsed: false, sealedResponse: undefined, idempotencyHash: undefined };
    for (const successor of [kept, undefined]) {
      expect(findRepeatedResponse(hasher, { usedAt: 1_000, readAt: 1_001, successor }, both)).toBeUndefined();
    }
  });

  test('has a stored response that shows no token', () => {
    const { sealedResponse } = keepResponse(hasher, both, pair) ?? {};
    expect(Buffer.from(sealedResponse ?? []).toString('latin1')).not.toMatch(/^$|at_1|rt_/);
  });
});

test.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\n'])('%j is refused as an Idempotency-Key', (key) => {
  expect(() => checkIdempotencyKey(key)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
