import type { Principal } from '../authorization/answer.ts';
import { createUsageBook } from './usage-book.ts';

const minute = 60_000;
const principal = (credentialId: string): Principal => ({
  businessId: 1,
  credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
  credentialId,
  limitId: credentialId,
});

/** An answer like any other. */
const use = { status: 200, clientIp: '', scope: null, at: 0 };

test('answers are counted by credential, minute and class', () => {
  const book = createUsageBook(10);
  for (const status of [200, 201, 304, 404, 403, 429, 500, 503]) {
    book.record(principal('a'), { ...use, status, clientIp: '1.1.1.1', at: minute + 5 });
  }
  book.record(principal('a'), { ...use, clientIp: '2.2.2.2', at: 2 * minute });
  book.record(principal('b'), { ...use, clientIp: '3.3.3.3', at: minute });
  const counts = book
    .take(10)
    .map(({ principal: { credentialId }, scopesUsed: _, ...entry }) => ({ credentialId, ...entry }));
  expect(counts).toEqual([
    {
      credentialId: 'a',
      minute,
      count2xx: 3,
      count4xx: 2,
      count429: 1,
      count5xx: 2,
      lastUsedAt: minute + 5,
      lastUsedIp: '1.1.1.1',
    },
    {
      credentialId: 'a',
      minute: 2 * minute,
      count2xx: 1,
      count4xx: 0,
      count429: 0,
      count5xx: 0,
      lastUsedAt: 2 * minute,
      lastUsedIp: '2.2.2.2',
    },
    {
      credentialId: 'b',
      minute,
      count2xx: 1,
      count4xx: 0,
      count429: 0,
      count5xx: 0,
      lastUsedAt: minute,
      lastUsedIp: '3.3.3.3',
    },
  ]);
});

test('what is taken is gone, and no more is taken than asked for', () => {
  const book = createUsageBook(10);
  for (const id of ['a', 'b', 'c']) book.record(principal(id), use);
  expect(book.take(2)).toHaveLength(2);
  expect(book.take(2)).toHaveLength(1);
  expect(book.take(2)).toHaveLength(0);
});

test('a full book drops what is new and says how much', () => {
  const book = createUsageBook(1);
  book.record(principal('a'), use);
  book.record(principal('b'), use);
  book.record(principal('a'), use);
  expect(book.take(5)).toMatchObject([{ count2xx: 2 }]);
  expect(book.dropped).toBe(1);
});

test('a scope counts as used when a request with it succeeded', () => {
  const book = createUsageBook(10);
  book.record(principal('a'), { ...use, scope: 'orders:read' });
  book.record(principal('a'), { ...use, scope: 'orders:read' });
  book.record(principal('a'), { ...use, scope: 'business:read', status: 304 });
  book.record(principal('a'), { ...use, scope: 'orders:write', status: 403 });
  expect([...(book.take(1)[0]?.scopesUsed ?? [])]).toEqual(['orders:read', 'business:read']);
});
