import {
  createPartitionMetrics,
  keepPartitions,
  readPartitionStates,
} from '@platform/service-kit/database/partitions.ts';
import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import { runEach } from '@platform/service-kit/process/run-each.ts';
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

/** Drops the events of days that are not kept, deletes expired idempotency keys and measures the tables, every `intervalMs`. */
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
    help: 'Bytes on disk of a table, its indexes and partitions.',
    labelNames: ['table'],
    registers: [registry],
  });
  const metrics = createPartitionMetrics(registry, 'business');
  const purgeKeys = async (signal: AbortSignal) => {
    for (let batch = 0; batch < maxBatches && !signal.aborted; batch++) {
      const count = await store.purgeIdempotencyKeys();
      purged.inc(count);
      if (count === 0) break;
    }
  };
  const measure = async () => {
    for (const { table, rows, bytes } of await store.measureTables()) {
      tableRows.set({ table }, rows);
      tableBytes.set({ table }, bytes);
    }
    metrics.measured(await readPartitionStates(store.partitions));
  };
  return startLoop({
    name: 'retention',
    everyMs: intervalMs,
    firstAfterMs: intervalMs,
    round: (signal) =>
      runEach([
        () => keepPartitions({ ...store.partitions, metrics, logger }),
        () => purgeKeys(signal),
        measure,
      ]),
    logger,
  });
}
