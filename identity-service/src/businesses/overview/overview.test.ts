import { expect, test } from '@jest/globals';
import { type Client, deletedClient } from '../../traffic/usage.ts';
import { busiestClients, clientsNearLimit, mergeHours } from './overview.ts';

const key: Client = {
  limitId: 'key_1',
  kind: 'api_key',
  id: 'key_1',
  name: 'Till',
  exists: true,
  isOwn: true,
};

const app = (limitId: string, exists: boolean): Client => {
  return { limitId, kind: 'application', id: 'apl_1', name: 'Parcel Post', exists, isOwn: false };
};

const point = (limitId: string, counts: Partial<Record<'2xx' | '4xx' | '429' | '5xx', number>>) => ({
  limitId,
  start: 0,
  count2xx: counts['2xx'] ?? 0,
  count4xx: counts['4xx'] ?? 0,
  count429: counts['429'] ?? 0,
  count5xx: counts['5xx'] ?? 0,
});

test('clients are sorted by requests, with refused and failed ones', () => {
  const points = [
    point('key_1', { '2xx': 1 }),
    point('grt_1', { '2xx': 2, '4xx': 3, '429': 4, '5xx': 5 }),
    point('key_1', { '5xx': 1 }),
  ];
  expect(busiestClients(points, [key, app('grt_1', true)], 5)).toEqual([
    { client: app('grt_1', true), requests: 14, refused: 7, failed: 5 },
    { client: key, requests: 2, refused: 0, failed: 1 },
  ]);
});

test('an application that was connected again is shown as one existing client', () => {
  for (const order of [
    ['grt_old', 'grt_new'],
    ['grt_new', 'grt_old'],
  ]) {
    const points = order.map((limitId) => point(limitId, { '2xx': 1 }));
    const [use, ...others] = busiestClients(points, [app('grt_old', false), app('grt_new', true)], 5);
    expect([use?.client.exists, use?.requests, others]).toEqual([true, 2, []]);
  }
});

test('the list is limited, and omits requests without a limit id', () => {
  const points = [point('', { '2xx': 100 }), point('key_1', { '2xx': 2 }), point('key_2', { '2xx': 1 })];
  const uses = busiestClients(points, [key, deletedClient('key_2')], 1);
  expect(uses.map(({ client }) => client.id)).toEqual(['key_1']);
});

const ids = ['key_a', 'key_b', 'key_c', 'key_d'];

const clients = ids.map(deletedClient);

const limits = ids.map((limitId) => ({ limitId, limit: 10 }));

const hour = (limitId: string, used: number) => ({ limitId, used, observedAt: 0 });

test('limits are listed as near from 80% of their use, the closest first', () => {
  const hours = [hour('key_a', 8), hour('key_b', 7), hour('key_c', 12), hour('key_d', 9)];
  expect(
    clientsNearLimit(limits, hours, clients).map(({ client, used, left }) => [client.id, used, left]),
  ).toEqual([
    ['key_c', 12, 0],
    ['key_d', 9, 1],
    ['key_a', 8, 2],
  ]);
});

test('requests that have left the rolling hour do not count toward a limit', () => {
  expect(clientsNearLimit(limits, [], clients)).toEqual([]);
});

test('hours are summed over all clients and keep their order', () => {
  const counts = { count2xx: 1, count4xx: 2, count429: 3, count5xx: 4 };
  const points = [
    { limitId: 'a', start: 0, ...counts },
    { limitId: 'b', start: 0, ...counts },
    { limitId: '', start: 3_600_000, ...counts },
  ];
  expect(mergeHours(points)).toEqual([
    { start: 0, count2xx: 2, count4xx: 4, count429: 6, count5xx: 8 },
    { start: 3_600_000, ...counts },
  ]);
});
