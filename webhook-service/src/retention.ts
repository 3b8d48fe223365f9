import type { Logger } from '@platform/service-kit/logger.ts';
import { type Loop, startLoop } from '@platform/service-kit/loop.ts';
import type { WebhookMetrics } from './metrics.ts';
import { batchSize, type RetentionStore } from './retention-store.ts';

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
    round: async (signal) => {
      metrics.backlog(await store.backlog());
      metrics.purged(await inBatches(store.purgeDeliveries, signal));
      await inBatches(store.purgeMessages, signal);
    },
    logger,
  });
}

async function inBatches(purge: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < maxBatches && !signal.aborted; batch++) {
    const rows = await purge();
    total += rows;
    if (rows < batchSize) break;
  }
  return total;
}
