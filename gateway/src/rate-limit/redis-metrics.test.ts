import { expect, test } from '@jest/globals';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createRedisMetrics } from './redis-metrics.ts';

function createOnClock() {
  const registry = createRegistry('test');
  let nowMs = 0;
  const metrics = createRedisMetrics(registry, () => nowMs);
  const read = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
  return {
    ...metrics,
    advance: (ms: number) => {
      nowMs += ms;
    },
    read: async () => ({
      up: await read('gateway_redis_up'),
      lost: await read('gateway_redis_lost_total'),
      degraded: await read('gateway_limiter_degraded_seconds_total'),
    }),
  };
}

test('without a configured Redis the limiter is degraded all the time', async () => {
  const metrics = createOnClock();
  metrics.advance(2_000);
  expect(await metrics.read()).toEqual({ up: 0, lost: 0, degraded: 2 });
});

test('outages between two scrapes are counted, with their duration', async () => {
  const metrics = createOnClock();
  metrics.advance(500);
  metrics.onChange(true);
  for (let outage = 0; outage < 2; outage++) {
    metrics.advance(10_000);
    metrics.onChange(false);
    metrics.advance(250);
    metrics.onChange(true);
  }
  expect(await metrics.read()).toEqual({ up: 1, lost: 2, degraded: 1 });
  expect(await metrics.read()).toEqual({ up: 1, lost: 2, degraded: 1 });
});
