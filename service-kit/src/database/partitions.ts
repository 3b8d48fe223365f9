import { z } from 'zod';
import { runEach } from '../process/run-each.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Counter, Gauge, type Registry } from '../telemetry/metrics.ts';
import type { Database } from './database.ts';
import { readRows } from './rows.ts';

/** A table with a partition per period, which is dropped as a whole. */
export interface PartitionedTable {
  readonly name: string;
  /** Days after which a row may go. It goes with its partition, up to a period later. */
  readonly keptDays: number;
}

interface KeepOptions {
  readonly database: Pick<Database, 'run'>;
  readonly tables: readonly PartitionedTable[];
  /** Calls `keep_partitions` of the database: it makes and drops partitions as the owner of the tables. */
  readonly call: (table: PartitionedTable) => PromiseLike<unknown>;
  readonly metrics: Pick<PartitionMetrics, 'dropped'>;
  readonly logger: Logger;
}

const keptRow = z.object({ made: z.int(), dropped: z.int(), waits: z.boolean() });

/**
 * Creates the next partitions of every table and drops expired ones. A table that cannot be locked within 200 ms is retried
 * in the next round.
 * @throws the first failure, after all tables were tried
 */
export async function keepPartitions(options: KeepOptions): Promise<void> {
  const { database, tables, call, metrics, logger } = options;
  const keep = async (table: PartitionedTable) => {
    const [kept] = await database.run(() => readRows(keptRow, call(table)));
    if (kept === undefined) return;
    metrics.dropped(table.name, kept.dropped);
    if (kept.waits) logger.info({ table: table.name }, 'partitions wait for a lock');
    else if (kept.made + kept.dropped > 0)
      logger.info({ table: table.name, ...kept }, 'partitions made or dropped');
  };
  await runEach(tables.map((table) => () => keep(table)));
}

const stateRow = z.object({ table: z.string(), aheadSeconds: z.number(), overdue: z.int() });

/** How far the partitions of a table reach, and how many should be gone. */
type PartitionState = z.output<typeof stateRow>;

interface StateOptions {
  readonly database: Pick<Database, 'run'>;
  readonly prisma: {
    $queryRaw(text: TemplateStringsArray, ...values: unknown[]): PromiseLike<unknown>;
  };
  readonly tables: readonly PartitionedTable[];
}

/** Reads the state of every table. */
export function readPartitionStates(options: StateOptions): Promise<readonly PartitionState[]> {
  const { database, prisma, tables } = options;
  const names = tables.map(({ name }) => name);
  const keptDays = tables.map(({ keptDays: days }) => days);
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

/** Creates the metrics of partitions: made ahead, dropped, and not dropped. @param service first word of their names */
export function createPartitionMetrics(registry: Registry, service: string): PartitionMetrics {
  const registers = [registry];
  const labelNames = ['table'];
  const ahead = new Gauge({
    name: `${service}_partitions_ahead_seconds`,
    help: 'Time from now that has partitions.',
    labelNames,
    registers,
  });
  const overdue = new Gauge({
    name: `${service}_partitions_overdue`,
    help: 'Partitions that could not be dropped although their time has passed.',
    labelNames,
    registers,
  });
  const dropped = new Counter({
    name: `${service}_dropped_partitions_total`,
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
