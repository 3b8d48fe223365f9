import { expect, test } from '@jest/globals';
import { type ApiKeyDetail, unusedScopes, usedScopes } from './api.ts';
import {
  askedValues,
  duplicate,
  duplicateAsRestricted,
  emptyValues,
  expirationTime,
  lifetimeOf,
  ofApi,
  toDateInput,
} from './form-values.ts';

const now = Date.UTC(2026, 10, 21);

const used = { scope: 'orders:read', lastUsedAt: '2026-11-20T00:00:00Z' } as const;

const unused = { scope: 'orders:write', lastUsedAt: null } as const;

const { lifetime, date, ...settings } = emptyValues;

const key: ApiKeyDetail = {
  ...settings,
  id: 'key_1',
  name: 'Shop',
  description: 'Fetches orders',
  keyType: 'restricted',
  scopes: ['orders:read', 'orders:write'],
  status: 'active',
  lastFour: 'aaaa',
  createdAt: '2026-11-01T00:00:00Z',
  expiresAt: '2026-12-01T00:00:00Z',
  expiresSoon: false,
  rotatedAt: null,
  lastUsedAt: null,
  lastUsedIp: null,
  createdBy: null,
  secretSeenBy: null,
  freeze: null,
  rollingHour: { limit: 10_000, used: 0, left: 10_000, observedAt: null },
  scopeUses: [used, unused],
  grantedLimit: 10_000,
};

test('a copy has the same settings and a lifetime of the same length', () => {
  expect(duplicate(key, now)).toEqual({
    ...settings,
    name: 'Shop (copy)',
    description: 'Fetches orders',
    keyType: 'restricted',
    scopes: ['orders:read', 'orders:write'],
    lifetime: '30',
    date: '',
  });
});

test('A copy leaves out permissions that the API has no longer.', () => {
  const known = [{ scope: 'business:read' }, { scope: 'orders:write' }];
  const values = ofApi(known, duplicate(key, now));
  expect(values).toEqual({ ...duplicate(key, now), scopes: ['orders:write'] });
});

test('a program asks for a name and for scopes of a restricted key of 90 days', () => {
  const link = new URLSearchParams({ name: 'cli on host', scopes: 'orders:read orders:write' });
  expect(askedValues(link)).toEqual({
    ...emptyValues,
    name: 'cli on host',
    scopes: ['orders:read', 'orders:write'],
    keyType: 'restricted',
    lifetime: '90',
  });
  expect(askedValues(new URLSearchParams('keyType=secret&lifetime=never'))).toEqual(emptyValues);
});

test('the name of a copy has at most 100 whole characters', () => {
  const name = '🔑'.repeat(100);
  const copied = [...duplicate({ ...key, name }, now).name];
  expect([copied.length, copied.slice(91).join('')]).toEqual([100, '🔑🔑 (copy)']);
});

test('a restricted copy of a secret key has the scopes that were used', () => {
  const secret: ApiKeyDetail = { ...key, keyType: 'secret', scopes: [] };
  expect(duplicateAsRestricted(secret, now)).toMatchObject({
    keyType: 'restricted',
    scopes: ['orders:read'],
  });
});

test('scopes without use count as unused once another scope of the key was used', () => {
  expect([usedScopes(key), unusedScopes(key)]).toEqual([['orders:read'], ['orders:write']]);
  expect(unusedScopes({ scopeUses: [used] })).toEqual([]);
  expect([usedScopes({ scopeUses: [unused] }), unusedScopes({ scopeUses: [unused] })]).toEqual([[], []]);
});

const noon = new Date(2026, 10, 21, 12, 30).getTime();

const day = 86_400_000;

const iso = (ms: number) => new Date(ms).toISOString();

test('a lifetime in days counts from now', () => {
  expect(expirationTime('7', '', noon)).toBe(noon + 7 * day);
  expect(expirationTime('365', '', noon)).toBe(noon + 365 * day);
});

test('an expiration date lasts until the end of that day in local time', () => {
  expect(expirationTime('date', '2026-11-21', noon)).toBe(new Date(2026, 10, 22).getTime());
  expect(expirationTime('date', '2026-12-31', noon)).toBe(new Date(2027, 0, 1).getTime());
});

test.each(['', '2026-11-20', 'tomorrow', '2026-1-1'])('the date %j is rejected', (date) => {
  expect(expirationTime('date', date, noon)).toBeUndefined();
});

test('the lifetime "never" has no expiration', () => {
  expect(expirationTime('never', '2026-12-31', noon)).toBeNull();
});

test.each([
  [7, '7'],
  [30, '30'],
  [89.99, '90'],
  [365, '365'],
])('a key with a lifetime of %d days is copied with %s', (days, lifetime) => {
  const createdAt = iso(noon - 300 * day);
  const expiresAt = iso(noon + (days - 300) * day);
  expect(lifetimeOf({ createdAt, expiresAt }, noon)).toEqual({ lifetime, date: '' });
});

test('a copy of any other lifetime has the date on which that lifetime ends from now', () => {
  const key = { createdAt: iso(noon - 10 * day), expiresAt: iso(noon + 35 * day) };
  expect(lifetimeOf(key, noon)).toEqual({ lifetime: 'date', date: toDateInput(noon + 45 * day) });
});

test('a key that never expires is copied without expiration', () => {
  expect(lifetimeOf({ createdAt: iso(noon), expiresAt: null }, noon)).toEqual({
    lifetime: 'never',
    date: '',
  });
});
