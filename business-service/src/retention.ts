import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Store } from './storage.ts';

interface RetentionOptions {
  readonly store: Store;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Milliseconds between two rounds. */
  readonly intervalMs: number;
}

/** Batches of one round; the rest is deleted in the next. */
const maxBatches = 100;

/** Deletes expired idempotency keys and measures the tables, every `intervalMs`. */
export function startRetention(options: RetentionOptions): Loop {
  const { store, logger, registry, intervalMs } = options;
  const purged = new Counter({
    name: 'idempotency_keys_purged_total',
    help: 'Expired idempotency keys that were deleted.',
    registers: [registry],
  });
  const tableRows = new Gauge({
    name: 'table_rows',
    help: 'Live rows of a table, as PostgreSQL estimates them.',
    labelNames: ['table'],
    registers: [registry],
  });
  const tableBytes = new Gauge({
    name: 'business_table_bytes',
    help: 'Bytes on disk of a table and its indexes.',
    labelNames: ['table'],
    registers: [registry],
  });
  return startLoop({
    name: 'retention',
    everyMs: intervalMs,
    firstAfterMs: intervalMs,
    round: async (signal) => {
      for (let batch = 0; batch < maxBatches && !signal.aborted; batch++) {
        const count = await store.purgeIdempotencyKeys();
        purged.inc(count);
        if (count === 0) break;
      }
      for (const { table, rows, bytes } of await store.measureTables()) {
        tableRows.set({ table }, rows);
        tableBytes.set({ table }, bytes);
      }
    },
    logger,
  });
}
