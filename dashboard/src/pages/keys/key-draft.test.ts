import { expect, test } from '@jest/globals';
import { type ApiKeyDetail, spareScopes, usedScopes } from './api.ts';
import { copyOf, restrictedCopyOf } from './draft.ts';

const now = Date.UTC(2026, 10, 21);

const used = { scope: 'orders:read', lastUsedAt: '2026-11-20T00:00:00Z' } as const;

const unused = { scope: 'orders:write', lastUsedAt: null } as const;

const key: ApiKeyDetail = {
  id: 'key_1',
  name: 'Shop',
  description: 'Fetches orders',
  keyType: 'restricted',
  scopes: ['orders:read', 'orders:write'],
  status: 'active',
  lastFour: 'aaaa',
  createdAt: '2026-11-01T00:00:00Z',
  expiresAt: '2026-12-01T00:00:00Z',
  rotatedAt: null,
  lastUsedAt: null,
  lastUsedIp: null,
  rollingHour: { limit: 10_000, used: 0, left: 10_000, observedAt: null },
  scopeUses: [used, unused],
};

test('a copy has the same settings and a lifetime of the same length', () => {
  expect(copyOf(key, now)).toEqual({
    name: 'Shop (copy)',
    description: 'Fetches orders',
    keyType: 'restricted',
    scopes: ['orders:read', 'orders:write'],
    lifetime: '30',
    date: '',
  });
});

test('the name of a copy has at most 100 characters, and none of them is cut in two', () => {
  const name = '🔑'.repeat(100);
  const copied = [...copyOf({ ...key, name }, now).name];
  expect([copied.length, copied.slice(91).join('')]).toEqual([100, '🔑🔑 (copy)']);
});

test('a restricted copy of a secret key may do what that was used for', () => {
  const secret: ApiKeyDetail = { ...key, keyType: 'secret', scopes: [] };
  expect(restrictedCopyOf(secret, now)).toMatchObject({ keyType: 'restricted', scopes: ['orders:read'] });
});

test('scopes without use are spare, unless nothing was used yet', () => {
  expect([usedScopes(key), spareScopes(key)]).toEqual([['orders:read'], ['orders:write']]);
  expect(spareScopes({ scopeUses: [used] })).toEqual([]);
  expect([usedScopes({ scopeUses: [unused] }), spareScopes({ scopeUses: [unused] })]).toEqual([[], []]);
});
