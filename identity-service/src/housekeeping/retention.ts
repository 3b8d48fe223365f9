import {
  createPartitionMetrics,
  keepPartitions,
  type PartitionedTable,
  type PartitionMetrics,
  readPartitionStates,
} from '@platform/service-kit/database/partitions.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { startLoop } from '@platform/service-kit/process/loop.ts';
import { runEach } from '@platform/service-kit/process/run-each.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { PrismaClient, Storage } from '../platform/storage.ts';
import { deleteOldestRequests, oldestRequestsName } from './oldest-requests.ts';
import { partitionedTables } from './partitions.ts';

/** Rows of one table that are deleted in batches. */
interface Purge {
  /** Name in the metric. */
  readonly name: string;
  readonly table: Prisma.Sql;
  readonly primaryKey: Prisma.Sql;
  /** Condition of expired rows. Uses `now()`, because `clock_timestamp()` is volatile and cannot use the index. */
  readonly expired: Prisma.Sql;
  /** Repeats the condition in the DELETE, so that PostgreSQL searches few partitions only. */
  readonly isPartitioned?: boolean;
}

const purge = (name: string, primaryKey: string, expired: Prisma.Sql, table: string = name): Purge => ({
  name,
  table: Prisma.raw(table),
  primaryKey: Prisma.raw(primaryKey),
  expired,
});

/** Every kind of row that would otherwise accumulate. */
const purges: readonly Purge[] = [
  // Expired tokens stay for a day, so that clients learn that they have expired instead of that they are unknown.
  purge('authorization_codes', 'code_hash', Prisma.sql`expires_at < now() - interval '1 day'`),
  purge('access_tokens', 'token_hash', Prisma.sql`expires_at < now() - interval '1 day'`),
  // Used refresh tokens stay until they expire, so that reuse is detected.
  purge('refresh_tokens', 'token_hash', Prisma.sql`expires_at < now() - interval '1 day'`),
  ...['access_tokens', 'refresh_tokens'].map((table) =>
    purge(
      `ended_${table}`,
      'token_hash',
      Prisma.sql`grant_id IN (SELECT id FROM grants WHERE ended_at < now() - interval '1 hour')`,
      table,
    ),
  ),
  purge('grants', 'id', Prisma.sql`ended_at < now() - interval '90 days'`),
  purge('answered_consents', 'id', Prisma.sql`expires_at < now()`),
  purge('sessions', 'id_hash', Prisma.sql`expires_at < now()`),
  purge('password_resets', 'token_hash', Prisma.sql`expires_at < now()`),
  purge('email_changes', 'person_id', Prisma.sql`expires_at < now()`),
  purge('email_undos', 'id', Prisma.sql`expires_at < now()`),
  purge('passkey_challenges', 'challenge', Prisma.sql`expires_at < now()`),
  purge('new_businesses', 'person_id, username', Prisma.sql`created_at < now() - interval '1 day'`),
  purge('sign_ups', 'token_hash', Prisma.sql`expires_at < now()`),
  purge('invitations', 'id', Prisma.sql`expires_at < now()`),
  purge('operator_invitations', 'id', Prisma.sql`expires_at < now()`),
  purge('ban_proposals', 'id', Prisma.sql`expires_at < now() - interval '90 days'`),
  // No window is longer than a day.
  purge('throttle_counts', 'key, window_start', Prisma.sql`window_start < now() - interval '1 day'`),
  purge('usage_batches', 'batch_id', Prisma.sql`received_at < now() - interval '1 hour'`),
  // Rows that are not dropped with a partition: those of the first and of the default partition.
  ...partitionedTables.map(({ name, primaryKey, time, keptDays, periodDays }) => ({
    ...purge(
      name,
      primaryKey,
      Prisma.sql`${Prisma.raw(time)} < now() - make_interval(days => ${keptDays + periodDays})`,
    ),
    isPartitioned: true,
  })),
  purge('retired_strings', 'id', Prisma.sql`retired_at < now() - interval '90 days'`),
  {
    ...purge(
      'request_log_of_nobody',
      'id, at',
      Prisma.sql`business_id IS NULL AND at < now() - interval '1 day'`,
      'request_log',
    ),
    isPartitioned: true,
  },
  purge('limit_observations', 'limit_id', Prisma.sql`observed_at < now() - interval '2 hours'`),
  // Kept as long as the API key or the Grant, however long ago the scope was used.
  purge(
    'scope_uses',
    'limit_id, scope',
    Prisma.sql`NOT EXISTS (SELECT 1 FROM api_keys k WHERE k.id = limit_id)
      AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.id = limit_id)`,
  ),
  purge(
    'webhook_warnings',
    'endpoint_id, since, step, person_id',
    Prisma.sql`created_at < now() - interval '90 days'`,
  ),
  // A day later than expirations are announced at the latest.
  purge(
    'api_key_notices',
    'api_key_id, expires_at, days',
    Prisma.sql`expires_at < now() - interval '31 days'`,
  ),
  purge('notices', 'id', Prisma.sql`created_at < now() - interval '90 days'`),
  purge('canary_checks', 'id', Prisma.sql`at < now() - interval '2 days'`),
  purge('promise_days', 'day, promise', Prisma.sql`day < (now() AT TIME ZONE 'UTC')::date - 90`),
  purge('promise_violations', 'id', Prisma.sql`at < now() - interval '90 days'`),
  purge('revocation_days', 'business_id, day', Prisma.sql`day < (now() AT TIME ZONE 'UTC')::date - 30`),
  purge('request_records', 'id', Prisma.sql`received_at < now() - interval '7 days'`),
  purge(
    'request_records_of_nobody',
    'id',
    Prisma.sql`business_id IS NULL AND at < now() - interval '1 day'`,
    'request_records',
  ),
];

/** Of `forgetResponses` in the metric. */
const responsesName = 'kept_answers';

/** Rows per statement, so that locks are short and other statements can run in between. */
const batchSize = 1_000;

/** Deletes one batch; replicas that purge at once skip each other's rows. Resolves to how many. */
function deleteBatch(
  prisma: PrismaClient,
  { table, primaryKey, expired, isPartitioned = false }: Purge,
): Promise<number> {
  const again = isPartitioned ? Prisma.sql`AND ${expired}` : Prisma.empty;
  return prisma.$executeRaw`
    DELETE FROM ${table} WHERE (${primaryKey}) IN (
      SELECT ${primaryKey} FROM ${table} WHERE ${expired} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) ${again}`;
}

/** Deletes one batch of responses to refreshes that can no longer be repeated. Resolves to their number. */
function forgetResponses(prisma: PrismaClient): Promise<number> {
  return prisma.$executeRaw`
    UPDATE refresh_tokens SET sealed_answer = NULL, idempotency_hash = NULL WHERE token_hash IN (
      SELECT token_hash FROM refresh_tokens
      WHERE sealed_answer IS NOT NULL AND created_at < now() - interval '60 seconds'
      LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`;
}

/** Batches per table and round. A larger backlog is spread over several rounds. */
const maxBatches = 50;

/** Deletes expired rows of every kind, even if one of them fails. @throws the first failure, at the end */
async function purgeAll(
  { database, prisma }: Storage,
  { purged }: DatabaseMetrics,
  signal: AbortSignal,
): Promise<void> {
  const inBatches = (name: string, run: () => Promise<number>) => async () => {
    for (let batch = 0; batch < maxBatches && !signal.aborted; batch++) {
      const rows = await database.run(run);
      purged(name, rows);
      if (rows === 0) return;
    }
  };
  await runEach([
    inBatches(responsesName, () => forgetResponses(prisma)),
    ...purges.map((each) => inBatches(each.name, () => deleteBatch(prisma, each))),
  ]);
}

const tableSize = z.object({ table: z.string(), bytes: integer });

/** Bytes on disk of every table, indexes and partitions included. */
async function readTableSizes({ database, prisma }: Storage): Promise<Map<string, number>> {
  const rows = await database.run(() =>
    readRows(
      tableSize,
      prisma.$queryRaw`
        SELECT root.relname::text AS "table", coalesce(sum(pg_total_relation_size(relid)), 0)::bigint AS bytes
        FROM pg_stat_user_tables AS part JOIN pg_class AS root ON root.oid = coalesce(pg_partition_root(relid), relid)
        GROUP BY root.relname`,
    ),
  );
  return new Map(rows.map(({ table, bytes }) => [table, bytes]));
}

const archiver = z.object({ isFailing: z.boolean() });

/** Whether the last file of its log could not be archived; false for a PostgreSQL that archives none. */
async function isArchiverFailing({ database, prisma }: Storage): Promise<boolean> {
  const rows = await database.run(() =>
    readRows(
      archiver,
      prisma.$queryRaw`
        SELECT current_setting('archive_mode') <> 'off'
               AND coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS "isFailing"
        FROM pg_stat_archiver`,
    ),
  );
  return rows.some(({ isFailing }) => isFailing);
}

interface DatabaseMetrics {
  readonly partitions: PartitionMetrics;
  /** After each measurement. */
  measured(bytesByTable: ReadonlyMap<string, number>, isArchiverFailing: boolean): void;
  /** After each batch. */
  purged(table: string, rows: number): void;
}

/** Size of every table, rows purged from it, and whether the log of PostgreSQL is archived. */
export function createDatabaseMetrics(registry: Registry): DatabaseMetrics {
  const registers = [registry];
  const labelNames = ['table'];
  const size = new Gauge({
    name: 'identity_table_bytes',
    help: 'Bytes on disk of a table, its indexes and partitions.',
    labelNames,
    registers,
  });
  const purged = new Counter({
    name: 'identity_purged_rows_total',
    help: 'Rows deleted because their time was over.',
    labelNames,
    registers,
  });
  const archiverFailing = new Gauge({
    name: 'identity_archiver_failing',
    help: "1 when PostgreSQL's last attempt to archive its log failed, else 0; also 0 where it archives none.",
    registers,
  });
  // An increase from nothing is none for Prometheus: a purge that fails from the start would raise no alarm.
  const tables = [responsesName, oldestRequestsName, ...purges.map(({ name }) => name)];
  for (const table of tables) purged.inc({ table }, 0);
  return {
    partitions: createPartitionMetrics(registry, 'identity'),
    measured: (bytesByTable, isFailing) => {
      for (const [table, bytes] of bytesByTable) size.set({ table }, bytes);
      archiverFailing.set(isFailing ? 1 : 0);
    },
    purged: (table, rows) => purged.inc({ table }, rows),
  };
}

interface HousekeepingOptions {
  readonly storage: Storage;
  readonly metrics: DatabaseMetrics;
  readonly logger: Logger;
  /** Milliseconds between two rounds. */
  readonly intervalMs: number;
  /** Requests of one business that its log keeps. */
  readonly requestsKept: number;
}

/** Drops expired partitions, deletes expired rows, and measures the database, every `intervalMs`. */
export function startHousekeeping(
  { storage, metrics, logger, intervalMs, requestsKept }: HousekeepingOptions,
  resources: AsyncDisposableStack,
): void {
  const { database, prisma } = storage;
  const tables = partitionedTables;
  const call = ({ name }: PartitionedTable) =>
    prisma.$queryRaw`SELECT made, dropped, waits FROM keep_partitions(${name})`;
  const loop = startLoop({
    name: 'housekeeping',
    everyMs: intervalMs,
    round: (signal) =>
      runEach([
        // First, so that what goes with a partition is not deleted row by row.
        () => keepPartitions({ database, tables, call, metrics: metrics.partitions, logger }),
        () => purgeAll(storage, metrics, signal),
        () => deleteOldestRequests({ storage, limit: requestsKept, purged: metrics.purged }, signal),
        async () => metrics.measured(await readTableSizes(storage), await isArchiverFailing(storage)),
        async () => metrics.partitions.measured(await readPartitionStates({ database, prisma, tables })),
      ]),
    logger,
  });
  resources.defer(loop.stop);
}
