import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';
import type { Backlog } from '../metrics.ts';

/** Days for which deliveries with their attempts and bodies are kept; withdrawn ones from their end on. */
const keptDays = 30;

/** Rows per statement: keeps locks short. */
export const batchSize = 1_000;

export type RetentionStore = ReturnType<typeof createRetentionStore>;

/** Rows in PostgreSQL that accumulate. */
export function createRetentionStore(prisma: PrismaClient, database: Database) {
  return {
    /** Deletes one batch of deliveries with their attempts; replicas share the work. Resolves to how many. */
    purgeDeliveries: (): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          DELETE FROM deliveries WHERE id IN (
            SELECT id FROM deliveries
            WHERE created_at < now() - make_interval(days => ${keptDays}) AND (status NOT IN ('pending', 'withdrawn')
              OR status = 'withdrawn' AND coalesce(finished_at, created_at) < now() - make_interval(days => ${keptDays}))
            LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
      ),
    /** Deletes one batch of bodies without deliveries. */
    purgeMessages: (): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          DELETE FROM messages WHERE (event_id, previous) IN (
            SELECT event_id, previous FROM messages m
            WHERE created_at < now() - make_interval(days => ${keptDays}) AND NOT EXISTS (
              SELECT 1 FROM deliveries d WHERE d.event_id = m.event_id AND d.previous = m.previous)
            LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
      ),
    backlog: (): Promise<Backlog> => database.run(() => readBacklog(prisma)),
  };
}

const dueRow = z.object({ due: integer, oldest: z.number(), lag: z.number() });

const countRow = z.object({ name: z.string(), count: integer });

/** Due deliveries that are counted: the time of a longer backlog says more than its length. */
const countedDue = 100_000;

/** The time of the oldest is a search in the index per endpoint, however long the backlog is. */
async function readBacklog(prisma: PrismaClient): Promise<Backlog> {
  const [backlog] = await readRows(
    dueRow,
    prisma.$queryRaw`
      SELECT (SELECT count(*) FROM (SELECT FROM deliveries WHERE status = 'pending' AND next_attempt_at <= now()
               LIMIT ${countedDue}) AS counted) AS due,
             coalesce(extract(epoch FROM now() - min(first.due_at)), 0)::float8 AS oldest,
             coalesce(extract(epoch FROM now() - min(greatest(first.due_at, e.paused_until))
               FILTER (WHERE e.enabled AND coalesce(e.paused_until <= now(), true))), 0)::float8 AS lag
      FROM endpoints e CROSS JOIN LATERAL (
        SELECT min(next_attempt_at) AS due_at FROM deliveries
        WHERE endpoint_id = e.id AND status = 'pending' AND next_attempt_at <= now()) AS first
      WHERE first.due_at IS NOT NULL`,
  );
  const states = await readRows(
    countRow,
    prisma.$queryRaw`
      SELECT CASE WHEN NOT enabled THEN 'disabled' WHEN paused_until > clock_timestamp() THEN 'paused'
                  WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'healthy' END AS name, count(*) AS count
      FROM endpoints GROUP BY 1`,
  );
  const tables = await readRows(
    countRow,
    prisma.$queryRaw`
      SELECT relname::text AS name, pg_total_relation_size(relid) AS count FROM pg_stat_user_tables`,
  );
  const none = { healthy: 0, failing: 0, paused: 0, disabled: 0 };
  return {
    due: backlog?.due ?? 0,
    oldestSeconds: backlog?.oldest ?? 0,
    lagSeconds: backlog?.lag ?? 0,
    endpoints: { ...none, ...Object.fromEntries(states.map(({ name, count }) => [name, count])) },
    tableBytes: new Map(tables.map(({ name, count }) => [name, count])),
  };
}
