import { expect, test } from '@jest/globals';
import type { ApiKey } from './api.ts';
import { filterKeys, type KeyFilter, parseFilter, serializeFilter } from './key-filter.ts';

const now = Date.UTC(2026, 10, 21, 12);

const day = 86_400_000;

const key = (name: string, more: Partial<ApiKey> = {}): ApiKey => ({
  id: `key_${name}`,
  name,
  description: '',
  keyType: 'restricted',
  scopes: ['orders:read'],
  status: 'active',
  lastFour: 'aaaa',
  createdAt: '2026-11-01T00:00:00Z',
  expiresAt: null,
  rotatedAt: null,
  lastUsedAt: null,
  lastUsedIp: null,
  createdBy: null,
  secretSeenBy: null,
  rollingHour: { limit: 10_000, used: 0, left: 10_000, observedAt: null },
  ...more,
});

const inDays = (days: number) => new Date(now + days * day).toISOString();

const keys = [
  key('Shop', { description: 'Fetches orders', lastFour: 'x9Qz' }),
  key('Backend', { keyType: 'secret', expiresAt: inDays(13.9) }),
  key('Till', { expiresAt: inDays(14) }),
  key('Old', { status: 'expired', expiresAt: inDays(-1) }),
];

const all: KeyFilter = { text: '', type: undefined, status: undefined };

test.each<[string, Partial<KeyFilter>, string[]]>([
  ['no filter', {}, ['Shop', 'Backend', 'Till', 'Old']],
  ['a part of a name, in any case', { text: ' sHo ' }, ['Shop']],
  ['a part of a description', { text: 'orders' }, ['Shop']],
  ['the last four characters', { text: 'x9qz' }, ['Shop']],
  ['a type', { type: 'secret' }, ['Backend']],
  ['active keys', { status: 'active' }, ['Shop', 'Backend', 'Till']],
  ['keys that expire within 14 days', { status: 'soon' }, ['Backend']],
  ['expired keys', { status: 'expired' }, ['Old']],
  ['a type and a status', { type: 'restricted', status: 'expired' }, ['Old']],
  ['a text without match', { text: 'nothing' }, []],
])('filtering by %s', (_, filter, names) => {
  expect(filterKeys(keys, { ...all, ...filter }, now).map(({ name }) => name)).toEqual(names);
});

test('a filter survives its URL parameters, and invalid ones are ignored', () => {
  const filter: KeyFilter = { text: 'a b&c', type: 'secret', status: 'soon' };
  expect(parseFilter(serializeFilter(filter))).toEqual(filter);
  expect(String(serializeFilter(all))).toBe('');
  expect(parseFilter(new URLSearchParams('type=public&status=gone'))).toEqual(all);
});
