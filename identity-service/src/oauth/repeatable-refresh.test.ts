import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSealer } from '@platform/service-kit/sealer.ts';
import { createSecretHasher } from '../platform/secrets.ts';
import {
  checkIdempotencyKey,
  findRepeatedResponse,
  hashRefresh,
  sealResponse,
} from './repeatable-refresh.ts';

const deps = {
  hasher: createSecretHasher(['a pepper that is longer than 32 characters']),
  sealer: createSealer([createSecretKey(randomBytes(32))]),
};

const pair = {
  accessToken: 'at_1',
  refreshToken: 'rt_1',
  expiresIn: 3_600,
  scopes: ['orders:read' as const],
};

const refresh = { clientId: 'app_1', key: 'once', scope: undefined };

const tokenHash = Buffer.from('hash of the refresh token');

const rotation = {
  usedAt: 1_000,
  arrivedAt: undefined,
  settledAt: 1_005,
  readAt: 60_999,
  idempotencyHash: hashRefresh(deps, refresh),
  sealedResponse: sealResponse(deps, tokenHash, pair),
};

describe('a refresh that comes again', () => {
  test('with the same key within 60 seconds gets the identical response', () => {
    expect(findRepeatedResponse(deps, tokenHash, rotation, refresh)).toEqual(pair);
  });

  test.each([
    ['with another key', {}, { key: 'twice' }],
    ['of another client', {}, { clientId: 'app_2' }],
    ['with another scope', {}, { scope: 'orders:read' }],
    ['after 60 seconds', { readAt: 61_000 }, {}],
    ['when the response has been cleared', { sealedResponse: undefined }, {}],
    ['when the first had no key', { idempotencyHash: undefined }, {}],
  ])('%s gets none', (_, change, other) => {
    const repeated = findRepeatedResponse(
      deps,
      tokenHash,
      { ...rotation, ...change },
      { ...refresh, ...other },
    );
    expect(repeated).toBeUndefined();
  });

  test('gets none that was sealed for another token', () => {
    expect(findRepeatedResponse(deps, Buffer.from('other'), rotation, refresh)).toBeUndefined();
  });

  test('finds nothing readable in what is stored', () => {
    expect(rotation.sealedResponse.toString('latin1')).not.toMatch(/at_1|rt_1/);
  });
});

test.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\n'])('%j is no Idempotency-Key', (key) => {
  expect(() => checkIdempotencyKey(key)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
