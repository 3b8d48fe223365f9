import type { Database } from '@platform/service-kit/database/database.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { Prisma } from '../generated/client.ts';
import { type Closers, startLoop } from './background.ts';
import type { PrismaClient, Storage } from './storage.ts';

/**
 * Deletes what is over of the authorization server, at most `limit` rows per statement. Expired tokens stay for a day, so
 * that they are called expired and not unknown; used refresh tokens stay until they expire, so that reuse is seen.
 */
function oauthPurges(
  prisma: PrismaClient,
  limit: number,
): Readonly<Record<string, () => Prisma.PrismaPromise<number>>> {
  return {
    authorization_codes: () => prisma.$executeRaw`
      DELETE FROM authorization_codes WHERE code_hash IN (
        SELECT code_hash FROM authorization_codes WHERE expires_at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    access_tokens: () => prisma.$executeRaw`
      DELETE FROM access_tokens WHERE token_hash IN (
        SELECT token_hash FROM access_tokens WHERE expires_at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    refresh_tokens: () => prisma.$executeRaw`
      DELETE FROM refresh_tokens WHERE token_hash IN (
        SELECT token_hash FROM refresh_tokens WHERE expires_at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    ended_access_tokens: () => prisma.$executeRaw`
      DELETE FROM access_tokens WHERE token_hash IN (
        SELECT t.token_hash FROM grants g JOIN access_tokens t ON t.grant_id = g.id
        WHERE g.ended_at < now() - interval '1 hour' LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED)`,
    ended_refresh_tokens: () => prisma.$executeRaw`
      DELETE FROM refresh_tokens WHERE token_hash IN (
        SELECT t.token_hash FROM grants g JOIN refresh_tokens t ON t.grant_id = g.id
        WHERE g.ended_at < now() - interval '1 hour' LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED)`,
    grants: () => prisma.$executeRaw`
      DELETE FROM grants WHERE id IN (
        SELECT id FROM grants WHERE ended_at < now() - interval '90 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    kept_answers: () => prisma.$executeRaw`
      UPDATE refresh_tokens SET sealed_answer = NULL, idempotency_hash = NULL WHERE token_hash IN (
        SELECT token_hash FROM refresh_tokens
        WHERE sealed_answer IS NOT NULL AND used_at < now() - interval '60 seconds'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    answered_consents: () => prisma.$executeRaw`
      DELETE FROM answered_consents WHERE id IN (
        SELECT id FROM answered_consents WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  };
}

/** Deletes what is over of people's sessions, links, invitations and attempts, at most `limit` rows per statement. */
function peoplePurges(
  prisma: PrismaClient,
  limit: number,
): Readonly<Record<string, () => Prisma.PrismaPromise<number>>> {
  return {
    sessions: () => prisma.$executeRaw`
      DELETE FROM sessions WHERE id_hash IN (
        SELECT id_hash FROM sessions WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    password_resets: () => prisma.$executeRaw`
      DELETE FROM password_resets WHERE token_hash IN (
        SELECT token_hash FROM password_resets WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    sign_ups: () => prisma.$executeRaw`
      DELETE FROM sign_ups WHERE token_hash IN (
        SELECT token_hash FROM sign_ups WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    invitations: () => prisma.$executeRaw`
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE expires_at < now()
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    // No window is longer than a day.
    throttle_counts: () => prisma.$executeRaw`
      DELETE FROM throttle_counts WHERE (key, window_start) IN (
        SELECT key, window_start FROM throttle_counts WHERE window_start < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  };
}

/** Deletes what is over of usage and of recorded requests, at most `limit` rows per statement. */
function usagePurges(
  prisma: PrismaClient,
  limit: number,
): Readonly<Record<string, () => Prisma.PrismaPromise<number>>> {
  return {
    usage_batches: () => prisma.$executeRaw`
      DELETE FROM usage_batches WHERE batch_id IN (
        SELECT batch_id FROM usage_batches WHERE received_at < now() - interval '1 hour'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_counts: () => prisma.$executeRaw`
      DELETE FROM usage_counts WHERE (credential_id, minute) IN (
        SELECT credential_id, minute FROM usage_counts WHERE minute < now() - interval '90 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_hours: () => prisma.$executeRaw`
      DELETE FROM usage_hours WHERE (business_id, hour, limit_id) IN (
        SELECT business_id, hour, limit_id FROM usage_hours WHERE hour < now() - interval '91 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_addresses: () => prisma.$executeRaw`
      DELETE FROM usage_addresses WHERE (limit_id, hour, address) IN (
        SELECT limit_id, hour, address FROM usage_addresses WHERE hour < now() - interval '30 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_endpoints: () => prisma.$executeRaw`
      DELETE FROM usage_endpoints WHERE (limit_id, hour, method, route) IN (
        SELECT limit_id, hour, method, route FROM usage_endpoints WHERE hour < now() - interval '30 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    limit_observations: () => prisma.$executeRaw`
      DELETE FROM limit_observations WHERE limit_id IN (
        SELECT limit_id FROM limit_observations WHERE observed_at < now() - interval '2 hours'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    // Kept as long as the API key or the Grant: when a scope was used last is asked however long ago it was.
    scope_uses: () => prisma.$executeRaw`
      DELETE FROM scope_uses WHERE (limit_id, scope) IN (
        SELECT u.limit_id, u.scope FROM scope_uses u
        WHERE NOT EXISTS (SELECT 1 FROM api_keys k WHERE k.id = u.limit_id)
          AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.id = u.limit_id)
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    request_records: () => prisma.$executeRaw`
      DELETE FROM request_records WHERE id IN (
        SELECT id FROM request_records WHERE received_at < now() - interval '7 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    request_records_of_nobody: () => prisma.$executeRaw`
      DELETE FROM request_records WHERE id IN (
        SELECT id FROM request_records WHERE business_id IS NULL AND at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  };
}

/** Deletes some rows whose time is over. Resolves to how many. */
type Purge = () => Promise<number>;

const batchSize = 1_000;

/**
 * One purge per kind of row that would grow for ever. Replicas that purge at once skip each other's rows. What is over is
 * over at `now()`, since no index answers for `clock_timestamp()`: a large table would be read whole, every minute.
 */
function createPurges(database: Database, prisma: PrismaClient): Readonly<Record<string, Purge>> {
  const purge = (statement: () => Prisma.PrismaPromise<number>): Purge => {
    return () => database.run(statement);
  };
  const statements = {
    ...oauthPurges(prisma, batchSize),
    ...peoplePurges(prisma, batchSize),
    ...usagePurges(prisma, batchSize),
  };
  return Object.fromEntries(Object.entries(statements).map(([name, statement]) => [name, purge(statement)]));
}

/** Batches per table and round: a backlog is worked off over several rounds. */
const maxBatches = 50;

/** Deletes what is over from every table. Resolves to the number of rows by table. */
async function purgeAll(purges: Readonly<Record<string, Purge>>): Promise<Map<string, number>> {
  const purged = new Map<string, number>();
  for (const [table, purge] of Object.entries(purges)) {
    purged.set(table, await purgeTable(purge));
  }
  return purged;
}

async function purgeTable(purge: Purge): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < maxBatches; batch++) {
    const deleted = await purge();
    total += deleted;
    if (deleted === 0) break;
  }
  return total;
}

/** Bytes on disk of every table, indexes included. */
function createReadTableSizes(database: Database, prisma: PrismaClient): () => Promise<Map<string, number>> {
  return () =>
    database.run(async () => {
      const rows = await prisma.$queryRaw<{ table: string; bytes: bigint }[]>`
        SELECT relname AS "table", pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables`;
      return new Map(rows.map(({ table, bytes }) => [table, Number(bytes)]));
    });
}

/** What the janitor reports. */
interface TableMetrics {
  sizes(bytesByTable: ReadonlyMap<string, number>): void;
  purged(rowsByTable: ReadonlyMap<string, number>): void;
}

/** Size of every table, and rows purged from it. */
export function createTableMetrics(registry: Registry): TableMetrics {
  const registers = [registry];
  const labelNames = ['table'];
  const size = new Gauge({
    name: 'identity_table_bytes',
    help: 'Bytes on disk of a table and its indexes.',
    labelNames,
    registers,
  });
  const purged = new Counter({
    name: 'identity_purged_rows_total',
    help: 'Rows deleted because their time was over.',
    labelNames,
    registers,
  });
  return {
    sizes: (bytesByTable) => {
      for (const [table, bytes] of bytesByTable) size.set({ table }, bytes);
    },
    purged: (rowsByTable) => {
      for (const [table, rows] of rowsByTable) purged.inc({ table }, rows);
    },
  };
}

const roundMs = 60_000;

/** Deletes what is over, and measures the tables, every minute. */
export function startHousekeeping(
  { database, prisma }: Storage,
  metrics: TableMetrics,
  logger: Logger,
  closers: Closers,
): void {
  const purges = createPurges(database, prisma);
  const readTableSizes = createReadTableSizes(database, prisma);
  const loop = startLoop({
    name: 'housekeeping',
    everyMs: roundMs,
    round: async () => {
      metrics.purged(await purgeAll(purges));
      metrics.sizes(await readTableSizes());
    },
    logger,
  });
  closers.add(loop.stop);
}
