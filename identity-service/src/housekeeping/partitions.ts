import { readRows } from '@platform/service-kit/database/rows.ts';
import { runEach } from '@platform/service-kit/process/run-each.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { z } from 'zod';
import type { Storage } from '../platform/storage.ts';

/** A table with a partition per period, which is dropped as a whole. */
interface PartitionedTable {
  readonly name: string;
  readonly primaryKey: string;
  /** Column by which it is partitioned. */
  readonly time: string;
  /** Days after which a row may go. It goes with its partition, up to a period later. */
  readonly keptDays: number;
  readonly periodDays: number;
}

/** Days of the log of requests. */
export const requestLogDays = 30;

/** `keep_partitions` in the database has the same periods: it is what decides. */
export const partitionedTables: readonly PartitionedTable[] = [
  {
    name: 'usage_counts',
    primaryKey: 'credential_id, minute',
    time: 'minute',
    keptDays: 90,
    periodDays: 7,
  },
  {
    name: 'usage_hours',
    primaryKey: 'business_id, hour, limit_id',
    time: 'hour',
    keptDays: 91,
    periodDays: 7,
  },
  {
    name: 'usage_addresses',
    primaryKey: 'limit_id, hour, address',
    time: 'hour',
    keptDays: 30,
    periodDays: 1,
  },
  {
    name: 'usage_endpoints',
    primaryKey: 'limit_id, hour, method, route',
    time: 'hour',
    keptDays: 30,
    periodDays: 1,
  },
  {
    name: 'request_log',
    primaryKey: 'id, at',
    time: 'at',
    keptDays: requestLogDays,
    periodDays: 1,
  },
  {
    name: 'request_log_minutes',
    primaryKey: 'business_id, minute',
    time: 'minute',
    keptDays: requestLogDays,
    periodDays: 1,
  },
];

const keptRow = z.object({ made: z.int(), dropped: z.int(), waits: z.boolean() });

/**
 * Creates the next partitions of every table and drops expired ones. A table that cannot be locked within 200 ms is retried
 * in the next round.
 * @throws the first failure, after all tables were tried
 */
export async function keepPartitions(
  { database, prisma }: Storage,
  metrics: PartitionMetrics,
  logger: Logger,
): Promise<void> {
  const keep = async (table: string) => {
    const [kept] = await database.run(() =>
      readRows(keptRow, prisma.$queryRaw`SELECT made, dropped, waits FROM keep_partitions(${table})`),
    );
    if (kept === undefined) return;
    metrics.dropped(table, kept.dropped);
    if (kept.waits) logger.info({ table }, 'partitions wait for a lock');
    else if (kept.made + kept.dropped > 0) logger.info({ table, ...kept }, 'partitions made or dropped');
  };
  await runEach(
    partitionedTables.map(
      ({ name }) =>
        () =>
          keep(name),
    ),
  );
}

const stateRow = z.object({ table: z.string(), aheadSeconds: z.number(), overdue: z.int() });

/** How far the partitions of a table reach, and how many should be gone. */
type PartitionState = z.output<typeof stateRow>;

/** Reads the state of every table. */
export function readPartitionStates({ database, prisma }: Storage): Promise<readonly PartitionState[]> {
  const names = partitionedTables.map(({ name }) => name);
  const keptDays = partitionedTables.map(({ keptDays: days }) => days);
  return database.run(() =>
    readRows(
      stateRow,
      prisma.$queryRaw`
        SELECT name AS "table", extract(epoch FROM max(upper) - now())::float8 AS "aheadSeconds",
               (count(*) FILTER (WHERE upper <= now() - make_interval(days => kept)))::int AS overdue
        FROM unnest(${names}::text[], ${keptDays}::int[]) AS tables (name, kept)
        JOIN pg_inherits ON inhparent = to_regclass('public.' || name) JOIN pg_class ON pg_class.oid = inhrelid,
        LATERAL (
          SELECT substring(pg_get_expr(relpartbound, inhrelid) FROM ${upperBound})::timestamptz AS upper
        ) AS bounds
        GROUP BY name HAVING max(upper) IS NOT NULL`,
    ),
  );
}

/** Of `FOR VALUES FROM ('…') TO ('…')`; DEFAULT has none. */
const upperBound = String.raw`TO \('([^']+)'\)`;

export interface PartitionMetrics {
  /** After each measurement. */
  measured(states: readonly PartitionState[]): void;
  dropped(table: string, partitions: number): void;
}

/** Creates the metrics of partitions: made ahead, dropped, and not dropped. */
export function createPartitionMetrics(registry: Registry): PartitionMetrics {
  const registers = [registry];
  const labelNames = ['table'];
  const ahead = new Gauge({
    name: 'identity_partitions_ahead_seconds',
    help: 'Time from now that has partitions.',
    labelNames,
    registers,
  });
  const overdue = new Gauge({
    name: 'identity_partitions_overdue',
    help: 'Partitions that could not be dropped although their time has passed.',
    labelNames,
    registers,
  });
  const dropped = new Counter({
    name: 'identity_dropped_partitions_total',
    help: 'Partitions dropped because their time has passed.',
    labelNames,
    registers,
  });
  return {
    measured: (states) => {
      for (const { table, aheadSeconds, overdue: count } of states) {
        ahead.set({ table }, aheadSeconds);
        overdue.set({ table }, count);
      }
    },
    dropped: (table, partitions) => dropped.inc({ table }, partitions),
  };
}
