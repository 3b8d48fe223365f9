import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import type { Instant } from '../values.ts';
import type { identityEventTypes } from './event.ts';
import { eventRow, type FeedPart, type FeedRead, readPart } from './page-store.ts';
import { type AnnounceChange, appendEvents, lockSequence } from './sequence.ts';

/** An event of identity-service, to append. */
export interface IdentityEvent {
  readonly id: string;
  readonly type: (typeof identityEventTypes)[number];
  readonly payload: Prisma.InputJsonObject;
  /** The application that it is about; null for none. */
  readonly applicationId: string | null;
}

/** Where the feed of a business ends. */
export interface Head {
  readonly businessId: number;
  readonly uniqueId: string;
  readonly lastSequence: number;
  readonly changedAt: Instant;
  /** Whether webhook-service may have earlier texts of erased events; unknown in lists. */
  readonly hasErasedEvents?: boolean | undefined;
}

/** A position in the list of heads. */
export interface HeadPosition {
  readonly changedAt: Instant;
  readonly businessId: number;
}

/** Bytes of the payloads of one `readAll`: with the other fields they stay below 1 MiB, the limit of a message. */
const maxPayloadBytes = 800_000;

const headRow = z
  .object({
    business_id: z.int(),
    unique_id: z.string(),
    last_sequence: integer,
    changed_at: z.date(),
    has_erased_events: z.boolean().optional(),
  })
  .transform(
    (row): Head => ({
      businessId: row.business_id,
      uniqueId: row.unique_id,
      lastSequence: row.last_sequence,
      changedAt: row.changed_at,
      hasErasedEvents: row.has_erased_events,
    }),
  );

export type EventStore = ReturnType<typeof createEventStore>;

interface EventStoreDeps {
  readonly prisma: PrismaClient;
  readonly database: Database;
  readonly announce: AnnounceChange;
  /** Days for which events are kept. */
  readonly keptDays: number;
}

/** Reads events from PostgreSQL, and appends those of identity-service. */
export function createEventStore({ prisma, database, announce, keptDays }: EventStoreDeps) {
  return {
    keptDays,
    /** Events of some types, up to the end of the feed at one moment; undefined for no such business. */
    read: (read: FeedRead): Promise<FeedPart | undefined> =>
      database.run(() => readPart(prisma, keptDays, read)),
    /** The author of a change by its event: null for none; undefined for an event that is not kept. */
    findAuthor: (businessId: number, id: string): Promise<string | null | undefined> =>
      database.run(async () => {
        const select = { credentialId: true };
        return (await prisma.event.findFirst({ where: { businessId, id }, select }))?.credentialId;
      }),
    /** The clock that gives heads their times. */
    clock: (): Promise<Instant> => database.run(() => readClock(prisma)),
    /** Events of every type after a sequence, at most `limit` and as many as fit into a message. @throws AppError `not_found` */
    readAll: (businessId: number, afterSequence: number, limit: number) =>
      database.run(() => readAll(prisma, businessId, afterSequence, limit)),
    /** Heads after a position, oldest change first. */
    listHeads: (after: HeadPosition, limit: number): Promise<readonly Head[]> =>
      database.run(() => listHeads(prisma, after, limit)),
    /** The heads of businesses. */
    headsOf: (businessIds: readonly number[]): Promise<readonly Head[]> =>
      database.run(() => headsOf(prisma, businessIds)),
    /** Appends events in their order and skips those that the feed already has. @throws AppError `not_found` */
    append: (businessId: number, events: readonly IdentityEvent[]): Promise<void> =>
      database.runInTurn(businessId, async () => {
        if (await appendMissing(prisma, businessId, events)) announce(businessId);
      }),
  };
}

const feedRow = z.object({ unique_id: z.string(), last_sequence: integer });

async function readAll(prisma: PrismaClient, businessId: number, afterSequence: number, limit: number) {
  // Reads the end first. An event that is committed in between is returned by the next call.
  const [head] = await readRows(
    feedRow,
    prisma.$queryRaw`
      SELECT unique_id, last_event_sequence AS last_sequence
      FROM businesses JOIN business_counters ON business_id = id WHERE id = ${businessId}`,
  );
  if (head === undefined) throw noSuchBusiness();
  const events = await readRows(
    eventRow,
    prisma.$queryRaw`
      SELECT id, type, created_at, sequence, data, application_id, traceparent FROM (
        SELECT *, sum(octet_length(data)) OVER (ORDER BY sequence) - octet_length(data) AS bytes_before FROM (
          SELECT id, type, created_at, sequence, payload::text AS data, application_id, traceparent FROM events
          WHERE business_id = ${businessId} AND sequence > ${afterSequence} AND sequence <= ${head.last_sequence}
          ORDER BY sequence LIMIT ${limit}
        ) AS event
      ) AS measured
      WHERE bytes_before = 0 OR bytes_before + octet_length(data) <= ${maxPayloadBytes} ORDER BY sequence`,
  );
  return { uniqueId: head.unique_id, lastSequence: head.last_sequence, events };
}

async function readClock(prisma: PrismaClient): Promise<Instant> {
  const statement = prisma.$queryRaw`SELECT clock_timestamp() AS now`;
  const [row] = await readRows(z.object({ now: z.date() }), statement);
  if (row === undefined) throw new Error('SELECT clock_timestamp() returned no row');
  return row.now;
}

async function listHeads(prisma: PrismaClient, after: HeadPosition, limit: number): Promise<Head[]> {
  return readRows(
    headRow,
    prisma.$queryRaw`
      SELECT business_id, unique_id, last_event_sequence AS last_sequence, changed_at
      FROM business_counters JOIN businesses ON id = business_id
      WHERE (changed_at, business_id) > (${after.changedAt}, ${after.businessId}) AND last_event_sequence > 0
      ORDER BY changed_at, business_id LIMIT ${limit}`,
  );
}

async function headsOf(prisma: PrismaClient, businessIds: readonly number[]): Promise<Head[]> {
  return readRows(
    headRow,
    prisma.$queryRaw`
      SELECT business_id, unique_id, last_event_sequence AS last_sequence, changed_at,
        EXISTS (SELECT FROM erased_events WHERE erased_events.business_id = businesses.id) AS has_erased_events
      FROM business_counters JOIN businesses ON id = business_id
      WHERE business_id = ANY (${businessIds}::int[]) AND last_event_sequence > 0`,
  );
}

/** Appends missing events; resolves to whether there were any. The lock serializes repetitions of the same call. */
function appendMissing(
  prisma: PrismaClient,
  businessId: number,
  events: readonly IdentityEvent[],
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const sequence = await lockSequence(tx, businessId);
    if (sequence === undefined) throw noSuchBusiness();
    const present = await tx.event.findMany({
      where: { businessId, id: { in: events.map(({ id }) => id) } },
      select: { id: true },
    });
    const ids = new Set(present.map(({ id }) => id));
    const missing = events.filter(({ id }) => !ids.has(id));
    if (missing.length > 0) await appendEvents(tx, sequence, missing);
    return missing.length > 0;
  });
}

function noSuchBusiness(): AppError {
  return new AppError('not_found', 'business_not_found', 'no such business');
}
