import type { Principal } from '../authorization/answer.ts';
import { createUsageBook } from './usage-book.ts';

const minute = 60_000;
const principal = (credentialId: string): Principal => ({
  businessId: 1,
  credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
  credentialId,
  limitId: credentialId,
});

test('answers are counted by credential, minute and class', () => {
  const book = createUsageBook(10);
  for (const status of [200, 201, 304, 404, 403, 429, 500, 503]) {
    book.record(principal('a'), status, '1.1.1.1', minute + 5);
  }
  book.record(principal('a'), 200, '2.2.2.2', 2 * minute);
  book.record(principal('b'), 200, '3.3.3.3', minute);
  const counts = book
    .take(10)
    .map(({ principal: { credentialId }, ...entry }) => ({ credentialId, ...entry }));
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
  for (const id of ['a', 'b', 'c']) book.record(principal(id), 200, '', 0);
  expect(book.take(2)).toHaveLength(2);
  expect(book.take(2)).toHaveLength(1);
  expect(book.take(2)).toHaveLength(0);
});

test('a full book drops what is new and says how much', () => {
  const book = createUsageBook(1);
  book.record(principal('a'), 200, '', 0);
  book.record(principal('b'), 200, '', 0);
  book.record(principal('a'), 200, '', 0);
  expect(book.take(5)).toMatchObject([{ count2xx: 2 }]);
  expect(book.dropped).toBe(1);
});
