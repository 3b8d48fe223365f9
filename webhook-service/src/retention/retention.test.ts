import { setImmediate } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type { WebhookMetrics } from '../metrics.ts';
import { startRetention } from './retention.ts';
import type { RetentionStore } from './store.ts';

const none = { due: 0, oldestSeconds: 0, lagSeconds: 0, endpoints: {}, tableBytes: new Map() };

/** One round over such a store; resolves to what was purged and measured in it. */
async function roundWith(change: Partial<RetentionStore>) {
  const store = {
    purgeDeliveries: jest.fn<RetentionStore['purgeDeliveries']>(async () => 3),
    purgeMessages: jest.fn<RetentionStore['purgeMessages']>(async () => 2),
    backlog: async () => none,
    ...change,
  };
  const metrics = {
    attempt: () => undefined,
    backlog: jest.fn<WebhookMetrics['backlog']>(),
    purged: jest.fn<WebhookMetrics['purged']>(),
  };
  const logger = createLogger({ service: 'webhook-service', level: 'silent' });
  const { stop } = startRetention({ store, metrics, logger, intervalMs: 3_600_000 });
  await setImmediate();
  await stop();
  return { store, metrics };
}

const fails = () => Promise.reject(new Error('too slow'));

test('a backlog that cannot be read does not stop the purge, and its old value is not shown', async () => {
  const { store, metrics } = await roundWith({ backlog: fails });
  expect(store.purgeDeliveries).toHaveBeenCalled();
  expect(store.purgeMessages).toHaveBeenCalled();
  expect(metrics.purged).toHaveBeenCalledWith(3);
  expect(metrics.backlog).toHaveBeenCalledWith(undefined);
});

test('deliveries that cannot be deleted stop neither the purge of bodies nor the measurement', async () => {
  const { store, metrics } = await roundWith({ purgeDeliveries: fails });
  expect(store.purgeMessages).toHaveBeenCalled();
  expect(metrics.backlog).toHaveBeenCalledWith(none);
});
