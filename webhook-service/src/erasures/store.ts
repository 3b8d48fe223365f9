import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { eraseCustomer } from '@platform/service-kit/values/erased-customer.ts';
import { withData } from '@platform/service-kit/values/event-body.ts';
import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/client.ts';

/** An event that lost its person. */
export interface ErasedEvent {
  /** Of the erasure; rises with time. */
  readonly id: number;
  readonly businessId: number;
  /** Public unique identifier of the business. */
  readonly uniqueId: string;
  readonly eventId: string;
}

export type ErasureStore = ReturnType<typeof createErasureStore>;

/** Erases persons from bodies and responses in PostgreSQL. */
export function createErasureStore(prisma: PrismaClient, database: Database) {
  return {
    /**
     * Rewrites the bodies of events, and keeps out those that were read before. Resolves to the events of which an attempt may be in
     * flight with the body of before: those due that were rewritten within `attemptMs`.
     */
    erase: (events: readonly ErasedEvent[], attemptMs: number): Promise<ReadonlySet<string>> =>
      database.run(async () => {
        const eventIds = events.map(({ eventId }) => eventId);
        await prisma.$transaction(async (tx) => {
          await raiseErasures(tx, events);
          await rewriteBodies(tx, eventIds);
        });
        // After the commit: a later claim has the new body.
        return findInFlight(prisma, eventIds, attemptMs);
      }),
    /** Removes what receivers responded to events: it may repeat the body. */
    removeResponses: (eventIds: readonly string[]): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          UPDATE attempts a SET response_start = '' FROM deliveries d
          WHERE d.event_id = ANY(${[...eventIds]}::text[]) AND a.delivery_id = d.id AND a.response_start <> ''`,
      ),
  };
}

/** Sorted, so that replicas do not deadlock. A business whose feed was never read gets its row, which a reader then finds changed. */
async function raiseErasures(
  tx: Prisma.TransactionClient,
  events: readonly Pick<ErasedEvent, 'businessId' | 'uniqueId'>[],
): Promise<void> {
  const businesses = [...new Map(events.map(({ businessId, uniqueId }) => [businessId, uniqueId]))];
  await tx.$executeRaw`
    INSERT INTO feed_progress (business_id, unique_id, sequence, last_by_type, erasures)
    SELECT business_id, unique_id, 0, '{}', 1
    FROM unnest(${businesses.map(([id]) => id)}::bigint[], ${businesses.map(([, uniqueId]) => uniqueId)}::text[])
      AS erased (business_id, unique_id)
    ORDER BY business_id
    ON CONFLICT (business_id) DO UPDATE SET erasures = feed_progress.erasures + 1`;
}

const messageRow = z.object({ event_id: z.string(), previous: z.bigint(), body: z.string() });

async function rewriteBodies(tx: Prisma.TransactionClient, eventIds: readonly string[]): Promise<void> {
  const statement = tx.$queryRaw`
    SELECT event_id, previous, body FROM messages
    WHERE event_id = ANY(${[...eventIds]}::text[]) AND erased_at IS NULL
    ORDER BY event_id, previous FOR NO KEY UPDATE`;
  const rows = (await readRows(messageRow, statement)).map(({ event_id, previous, body }) => ({
    event_id,
    previous: Number(previous),
    body: withData(body, eraseCustomer),
  }));
  if (rows.length === 0) return;
  await tx.$executeRaw`
    UPDATE messages m SET body = erased.body, erased_at = clock_timestamp()
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS erased (event_id text, previous bigint, body text)
    WHERE m.event_id = erased.event_id AND m.previous = erased.previous`;
}

async function findInFlight(
  prisma: PrismaClient,
  eventIds: readonly string[],
  attemptMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await readRows(
    z.object({ event_id: z.string() }),
    prisma.$queryRaw`
      WITH lately AS (SELECT clock_timestamp() - make_interval(secs => ${attemptMs / 1_000}) AS since)
      SELECT DISTINCT m.event_id FROM lately, messages m
      JOIN deliveries d ON d.event_id = m.event_id AND d.previous = m.previous
      WHERE m.event_id = ANY(${[...eventIds]}::text[]) AND m.erased_at > since
        AND (d.status = 'pending' AND d.next_attempt_at <= clock_timestamp() OR d.status = 'skipped' AND d.finished_at > since)`,
  );
  return new Set(rows.map((row) => row.event_id));
}
