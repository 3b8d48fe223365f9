import type { Principal } from '../access/authorization-result.ts';
import { matchRoute } from '../routes.ts';
import { createUsageBook } from './usage.ts';

const minute = 60_000;

const principal = (credentialId: string): Principal => ({
  businessId: 1,
  credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
  credentialId,
  limitId: credentialId,
  allowedOrigins: [],
});

/** An answer like any other. */
const getOrders = matchRoute('GET', '/v2/order');

const use = {
  status: 200,
  clientIp: '1.1.1.1',
  scope: null,
  endpoint: getOrders,
  limitUsed: undefined,
  at: 0,
};

test('answers are counted by credential, minute and class', () => {
  const book = createUsageBook(10);
  for (const status of [200, 201, 304, 404, 403, 429, 500, 503]) {
    book.record(principal('a'), { ...use, status, clientIp: '1.1.1.1', at: minute + 5 });
  }
  book.record(principal('a'), { ...use, clientIp: '2.2.2.2', at: 2 * minute });
  book.record(principal('b'), { ...use, clientIp: '3.3.3.3', at: minute });
  expect(book.take(10)).toMatchObject([
    {
      principal: { credentialId: 'a' },
      minute,
      count2xx: 3,
      count4xx: 2,
      count429: 1,
      count5xx: 2,
      lastUsedAt: minute + 5,
      lastUsedIp: '1.1.1.1',
    },
    {
      principal: { credentialId: 'a' },
      minute: 2 * minute,
      count2xx: 1,
      count4xx: 0,
      count429: 0,
      count5xx: 0,
      lastUsedAt: 2 * minute,
      lastUsedIp: '2.2.2.2',
    },
    {
      principal: { credentialId: 'b' },
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

test('what is taken is gone, and no more is taken than asked for, but one at least', () => {
  const book = createUsageBook(10);
  for (const id of ['a', 'b', 'c']) book.record(principal(id), use);
  expect(book.take(6)).toHaveLength(2);
  expect(book.take(2)).toHaveLength(1);
  expect(book.take(6)).toHaveLength(0);
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

test('addresses are told apart, each with its last success', () => {
  const book = createUsageBook(10);
  book.record(principal('a'), { ...use, at: 1 });
  book.record(principal('a'), { ...use, at: 2 });
  book.record(principal('a'), { ...use, at: 3, status: 403 });
  book.record(principal('a'), { ...use, at: 4, status: 429, clientIp: '2.2.2.2' });
  expect([...(book.take(10)[0]?.addresses ?? [])]).toEqual([
    ['1.1.1.1', { requests: 3, successes: 2, lastSuccessAt: 2 }],
    ['2.2.2.2', { requests: 1, successes: 0, lastSuccessAt: 0 }],
  ]);
});

test('endpoints are told apart by method and row', () => {
  const book = createUsageBook(10);
  const paths = ['/v2/order/ord_1', '/v2/order/ord_2', '/v2/order'];
  for (const path of paths) book.record(principal('a'), { ...use, endpoint: matchRoute('GET', path) });
  for (const method of ['PATCH', 'PUT', 'DELETE']) {
    book.record(principal('a'), { ...use, endpoint: matchRoute(method, '/v2/order/ord_1') });
  }
  book.record(principal('a'), { ...use, endpoint: matchRoute('GET', '/elsewhere') });
  const endpoints = [...(book.take(10)[0]?.endpoints ?? [])];
  expect(endpoints.map(([{ method, name }, requests]) => [method, name, requests])).toEqual([
    ['GET', '/v2/order/{id}', 2],
    ['GET', '/v2/order', 1],
    ['PATCH', '/v2/order/{id}', 1],
    ['', '/v2/order/{id}', 2],
    ['', 'none', 1],
  ]);
});

test('from the 21st on, addresses are one', () => {
  const book = createUsageBook(10);
  for (let i = 1; i <= 30; i++) book.record(principal('a'), { ...use, clientIp: `10.0.0.${i}`, at: i });
  book.record(principal('a'), { ...use, clientIp: '10.0.0.1', at: 31 });
  const [entry] = book.take(10);
  expect(entry?.addresses.size).toBe(21);
  expect(entry?.addresses.get('10.0.0.1')).toMatchObject({ requests: 2 });
  expect(entry?.addresses.get('')).toEqual({ requests: 10, successes: 10, lastSuccessAt: 30 });
});

test('when many entries wait, new ones tell nothing apart and lose no count', () => {
  const book = createUsageBook(5);
  for (const id of ['a', 'b']) book.record(principal(id), use);
  const [first, second] = book.take(10);
  expect([...(first?.addresses.keys() ?? [])]).toEqual(['1.1.1.1']);
  expect([...(second?.addresses.keys() ?? [])]).toEqual(['']);
  expect([...(second?.endpoints ?? [])]).toEqual([[{ method: '', name: '' }, 1]]);
});

test('the state of the rolling hour is the one seen last', () => {
  const book = createUsageBook(10);
  book.record(principal('a'), { ...use, limitUsed: 7, at: 1 });
  book.record(principal('a'), { ...use, limitUsed: 8, at: 2 });
  book.record(principal('a'), { ...use, status: 403, at: 3 });
  expect(book.take(10)).toMatchObject([{ limitUsed: 8, limitObservedAt: 2 }]);
});
