import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import { runEach } from '@platform/service-kit/process/run-each.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { WebhookMetrics } from '../metrics.ts';
import { batchSize, type RetentionStore } from './store.ts';

/** Batches per round; the rest is deleted in the next. */
const maxBatches = 100;

interface RetentionOptions {
  readonly store: RetentionStore;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  /** Milliseconds between two rounds. */
  readonly intervalMs: number;
}

/** Deletes old deliveries and measures the rest, every `intervalMs`. */
export function startRetention({ store, metrics, logger, intervalMs }: RetentionOptions): Loop {
  return startLoop({
    name: 'retention',
    everyMs: intervalMs,
    round: (signal) =>
      runEach([
        () => inBatches(store.purgeDeliveries, signal, metrics.purged),
        () => inBatches(store.purgeMessages, signal),
        () => measure(store, metrics),
      ]),
    logger,
  });
}

async function inBatches(
  purge: () => Promise<number>,
  signal: AbortSignal,
  purged: (rows: number) => void = () => undefined,
): Promise<void> {
  for (let batch = 0; batch < maxBatches && !signal.aborted; batch++) {
    const rows = await purge();
    purged(rows);
    if (rows < batchSize) return;
  }
}

async function measure(store: RetentionStore, metrics: WebhookMetrics): Promise<void> {
  try {
    metrics.backlog(await store.backlog());
  } catch (error) {
    metrics.backlog(undefined);
    throw error;
  }
}
