import { readApi } from '@platform/service-kit/api/api.ts';
import type { Principal } from '../principal.ts';
import { createRouteTable } from '../routes.ts';
import { createUsageBuffer } from './usage.ts';

const routes = createRouteTable(readApi());

const minute = 60_000;

const principal = (credentialId: string): Principal => ({
  businessId: 1,
  credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
  credentialId,
  limitId: credentialId,
  scopes: [],
  expiresAt: undefined,
  allowedOrigins: [],
  isSandbox: false,
});

const getOrders = routes.match('GET', '/v2/order');

const usage = {
  status: 200,
  clientIp: '1.1.1.1',
  scope: null,
  endpoint: getOrders,
  limitUsed: undefined,
  at: 0,
};

test('responses are counted by credential, minute and class', () => {
  const buffer = createUsageBuffer(10);
  for (const status of [200, 201, 304, 404, 403, 429, 500, 503]) {
    buffer.record(principal('a'), { ...usage, status, clientIp: '1.1.1.1', at: minute + 5 });
  }
  buffer.record(principal('a'), { ...usage, clientIp: '2.2.2.2', at: 2 * minute });
  buffer.record(principal('b'), { ...usage, clientIp: '3.3.3.3', at: minute });
  expect(buffer.take(10)).toMatchObject([
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

test('a minute has one entry, even if it was already reported or the clock went back', () => {
  const buffer = createUsageBuffer(10);
  const record = (at: number) => buffer.record(principal('a'), { ...usage, at });
  record(minute);
  expect(buffer.take(10)).toMatchObject([{ minute, count2xx: 1 }]);
  for (const at of [minute, 2 * minute, minute]) record(at);
  expect(buffer.take(10)).toMatchObject([
    { minute, count2xx: 2 },
    { minute: 2 * minute, count2xx: 1 },
  ]);
});

test('each batch takes entries up to its limit, but at least one', () => {
  const buffer = createUsageBuffer(10);
  for (const id of ['a', 'b', 'c']) buffer.record(principal(id), usage);
  expect(buffer.take(6)).toHaveLength(2);
  expect(buffer.take(2)).toHaveLength(1);
  expect(buffer.take(6)).toHaveLength(0);
});

test('a full buffer drops new entries and counts them', () => {
  const buffer = createUsageBuffer(1);
  buffer.record(principal('a'), usage);
  buffer.record(principal('b'), usage);
  buffer.record(principal('a'), usage);
  expect(buffer.take(5)).toMatchObject([{ count2xx: 2 }]);
  expect(buffer.takeDroppedCount()).toBe(1);
  expect(buffer.takeDroppedCount()).toBe(0);
});

test('a scope counts as used when a request with it succeeds', () => {
  const buffer = createUsageBuffer(10);
  buffer.record(principal('a'), { ...usage, scope: 'orders:read' });
  buffer.record(principal('a'), { ...usage, scope: 'orders:read' });
  buffer.record(principal('a'), { ...usage, scope: 'business:read', status: 304 });
  buffer.record(principal('a'), { ...usage, scope: 'orders:write', status: 403 });
  expect([...(buffer.take(1)[0]?.scopesUsed ?? [])]).toEqual(['orders:read', 'business:read']);
});

test('addresses are counted separately, each with its last success', () => {
  const buffer = createUsageBuffer(10);
  buffer.record(principal('a'), { ...usage, at: 1 });
  buffer.record(principal('a'), { ...usage, at: 2 });
  buffer.record(principal('a'), { ...usage, at: 3, status: 403 });
  buffer.record(principal('a'), { ...usage, at: 4, status: 429, clientIp: '2.2.2.2' });
  expect([...(buffer.take(10)[0]?.addresses ?? [])]).toEqual([
    ['1.1.1.1', { requests: 3, successes: 2, lastSuccessAt: 2 }],
    ['2.2.2.2', { requests: 1, successes: 0, lastSuccessAt: 0 }],
  ]);
});

test('endpoints are counted by method and route', () => {
  const buffer = createUsageBuffer(10);
  const paths = ['/v2/order/ord_1', '/v2/order/ord_2', '/v2/order'];
  for (const path of paths) buffer.record(principal('a'), { ...usage, endpoint: routes.match('GET', path) });
  for (const method of ['PATCH', 'PUT', 'DELETE']) {
    buffer.record(principal('a'), { ...usage, endpoint: routes.match(method, '/v2/order/ord_1') });
  }
  buffer.record(principal('a'), { ...usage, endpoint: routes.match('GET', '/elsewhere') });
  const endpoints = [...(buffer.take(10)[0]?.endpoints ?? [])];
  expect(endpoints.map(([{ method, name }, requests]) => [method, name, requests])).toEqual([
    ['GET', '/v2/order/{id}', 2],
    ['GET', '/v2/order', 1],
    ['PATCH', '/v2/order/{id}', 1],
    ['', '/v2/order/{id}', 2],
    ['', 'none', 1],
  ]);
});

test('from the 21st on, addresses are counted together', () => {
  const buffer = createUsageBuffer(10);
  for (let i = 1; i <= 30; i++) buffer.record(principal('a'), { ...usage, clientIp: `10.0.0.${i}`, at: i });
  buffer.record(principal('a'), { ...usage, clientIp: '10.0.0.1', at: 31 });
  const [entry] = buffer.take(10);
  expect(entry?.addresses.size).toBe(21);
  expect(entry?.addresses.get('10.0.0.1')).toMatchObject({ requests: 2 });
  expect(entry?.addresses.get('')).toEqual({ requests: 10, successes: 10, lastSuccessAt: 30 });
});

test('with many entries waiting, new ones have no breakdown but count every request', () => {
  const buffer = createUsageBuffer(5);
  for (const id of ['a', 'b']) buffer.record(principal(id), usage);
  const [first, second] = buffer.take(10);
  expect([...(first?.addresses.keys() ?? [])]).toEqual(['1.1.1.1']);
  expect([...(second?.addresses.keys() ?? [])]).toEqual(['']);
  expect([...(second?.endpoints ?? [])]).toEqual([[{ method: '', name: '' }, 1]]);
});

test('the rolling hour is the last one observed', () => {
  const buffer = createUsageBuffer(10);
  buffer.record(principal('a'), { ...usage, limitUsed: 7, at: 1 });
  buffer.record(principal('a'), { ...usage, limitUsed: 8, at: 2 });
  buffer.record(principal('a'), { ...usage, status: 403, at: 3 });
  expect(buffer.take(10)).toMatchObject([{ limitUsed: 8, limitObservedAt: 2 }]);
});
