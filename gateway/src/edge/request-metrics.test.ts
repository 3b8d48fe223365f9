import { expect, test } from '@jest/globals';
import { readApi } from '@platform/service-kit/api/api.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createRouteTable } from '../routes.ts';
import { createRequestMetrics } from './request-metrics.ts';

const registry = createRegistry('gateway');
const routes = createRouteTable(readApi());
const metrics = createRequestMetrics(registry, routes.names);

/** Values of a counter by its labels. */
async function valuesOf(name: string): Promise<Map<string, number>> {
  const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {};
  return new Map(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

test('series that alarms use start at 0 before the first request, so that the first increase counts', async () => {
  const requests = await valuesOf('gateway_requests_total');
  for (const route of [routes.match('GET', '/v2/order/1').name, routes.match('GET', '/nothing').name]) {
    for (const status of [500, 502, 503, 504]) expect(requests.get(`${route} ${status}`)).toBe(0);
  }
  expect(requests.size).toBe(4 * routes.names.length);
  const refusals = await valuesOf('gateway_refusals_total');
  expect([...refusals]).toEqual([
    ['unknown', 0],
    ['unknown_limited', 0],
  ]);
});

test('a request is counted by its route and status, also with a status that has no initial series', async () => {
  metrics.count('/v2/order', 503, 'unknown');
  metrics.count('/v2/order', 200, undefined);
  metrics.count('/v2/order', 200, undefined);
  const requests = await valuesOf('gateway_requests_total');
  expect([requests.get('/v2/order 503'), requests.get('/v2/order 200')]).toEqual([1, 2]);
  expect((await valuesOf('gateway_refusals_total')).get('unknown')).toBe(1);
});
