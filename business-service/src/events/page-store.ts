import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma, type PrismaClient } from '../generated/client.ts';
import type { Instant } from '../values.ts';
import type { EventType, StoredEvent } from './event.ts';

/** A read of the feed of a business. */
export interface FeedRead {
  readonly businessId: number;
  /** Leaves out events about other applications; undefined for those about any. */
  readonly applicationId: string | undefined;
  /** Exclusive; undefined for the beginning of the days that are kept. */
  readonly afterSequence: number | undefined;
  readonly types: readonly EventType[];
  readonly limit: number;
}

/** Part of a feed, as of one moment. */
export interface FeedPart {
  readonly uniqueId: string;
  readonly isBanned: boolean;
  /** Where the feed ends, with events of every type. */
  readonly lastSequence: number;
  /** The last event of the types up to the position; 0 for none that is kept. */
  readonly previous: number;
  readonly events: readonly StoredEvent[];
  /** Whether the events begin before the days that are kept, or events after the position are gone. */
  readonly isExpired: boolean;
}

/** An event for those that deliver it. */
interface FeedEvent extends StoredEvent {
  /** The application that it is about; null for none. */
  readonly applicationId: string | null;
  /** Of the request that caused it; null where its trace was not recorded. */
  readonly traceparent: string | null;
}

export const eventRow = z
  .object({
    id: z.string(),
    type: z.string(),
    created_at: z.date(),
    sequence: integer,
    data: z.string(),
    application_id: z.string().nullable(),
    traceparent: z.string().nullable(),
  })
  .transform(
    ({ created_at: createdAt, application_id: applicationId, ...event }): FeedEvent => ({
      ...event,
      createdAt,
      applicationId,
    }),
  );

const headRow = z.object({
  unique_id: z.string(),
  is_banned: z.boolean(),
  last_sequence: integer,
  oldest: z.date(),
});

/**
 * Sequences that are searched as they follow each other. Each day has a partition, so events of a few types are then searched
 * by type in all of them: a rare type costs no more than a frequent one.
 */
const near = 1_000;

/** Events of a page at most. */
const maxEvents = 100;

const constant = (value: number) => Prisma.raw(String(value));

/** Reads where the feed ends, then events up to there: nothing is added between them later. */
export async function readPart(
  prisma: PrismaClient,
  keptDays: number,
  { afterSequence, ...read }: FeedRead,
): Promise<FeedPart | undefined> {
  const { businessId, limit } = read;
  const [head] = await readRows(
    headRow,
    prisma.$queryRaw`
      SELECT unique_id, is_banned, last_event_sequence AS last_sequence,
        now() - make_interval(days => ${keptDays}::int) AS oldest
      FROM businesses JOIN business_counters ON business_id = id WHERE id = ${businessId}`,
  );
  if (head === undefined) return undefined;
  const { unique_id: uniqueId, is_banned: isBanned, last_sequence: lastSequence, oldest } = head;
  const part = { uniqueId, isBanned, lastSequence, previous: 0, events: [], isExpired: false };
  const begin = afterSequence === undefined ? await firstSince(prisma, businessId, oldest) : undefined;
  const after = afterSequence ?? (begin ?? lastSequence + 1) - 1;
  if (isBanned || after >= lastSequence) return part;
  const statements = statementsOf(prisma, { ...read, after, lastSequence });
  const { events, previous } = await statements.near();
  if (events.length < limit && after + near < lastSequence) {
    events.push(...(await statements.far(limit - events.length)));
  }
  const [first] = events;
  const isReached = previous !== undefined || first?.sequence === after + 1 || (await statements.isReached());
  if (!isReached || (first !== undefined && first.createdAt < oldest)) return { ...part, isExpired: true };
  const isKnown = previous !== undefined || first === undefined;
  return { ...part, events, previous: isKnown ? (previous ?? 0) : await statements.previous() };
}

const sequenceRow = z.object({ sequence: integer.nullable() });

/** Sequence of the first event since a time; undefined for none. */
async function firstSince(
  prisma: PrismaClient,
  businessId: number,
  oldest: Instant,
): Promise<number | undefined> {
  const statement = prisma.$queryRaw`
    SELECT sequence FROM events WHERE business_id = ${businessId} AND created_at >= ${oldest}
    ORDER BY sequence LIMIT 1`;
  const [row] = await readRows(sequenceRow, statement);
  return row?.sequence ?? undefined;
}

interface Position extends Omit<FeedRead, 'afterSequence'> {
  readonly after: number;
  readonly lastSequence: number;
}

const nearRow = z.object({ previous: integer.nullable() });

const reachedRow = z.object({ is_reached: z.boolean() });

/**
 * The statements of a page. Each bounds what it reads of a partition by an index. Limits are constants where they can be: for
 * values PostgreSQL would plan the statement of the near events anew each time, which takes longer than its execution.
 */
function statementsOf(
  prisma: PrismaClient,
  { businessId, applicationId, types, limit, after, lastSequence }: Position,
) {
  const visible =
    applicationId === undefined
      ? Prisma.sql`true`
      : Prisma.sql`(application_id IS NULL OR application_id = ${applicationId})`;
  const wanted = Prisma.sql`type = ANY (${types}::text[]) AND ${visible}`;
  const columns = Prisma.sql`id, type, created_at, sequence, payload::text AS data, application_id, traceparent`;
  const end = Math.min(after + near, lastSequence);
  return {
    /** Events of the next sequences, and the last of the sequences before. */
    near: async () => {
      const statement = prisma.$queryRaw`
        SELECT ${columns}, (
          SELECT sequence FROM (
            SELECT * FROM events WHERE business_id = ${businessId} AND sequence <= ${after}
            ORDER BY sequence DESC LIMIT ${constant(near)}
          ) AS earlier WHERE ${wanted} ORDER BY sequence DESC LIMIT 1
        ) AS previous FROM (
          SELECT * FROM events WHERE business_id = ${businessId} AND sequence > ${after}
          ORDER BY sequence LIMIT ${constant(near)}
        ) AS event WHERE sequence <= ${end} AND ${wanted} ORDER BY sequence LIMIT ${limit}`;
      const rows = await statement;
      const [row] = await readRows(nearRow, Promise.resolve(rows));
      return {
        events: await readRows(eventRow, Promise.resolve(rows)),
        previous: row?.previous ?? undefined,
      };
    },
    /**
     * Whether what is kept reaches back to the position. An event before it is enough: only a restore skips sequences, and events
     * end in their order.
     */
    isReached: async () => {
      const statement = prisma.$queryRaw`
        SELECT EXISTS (
          SELECT FROM events WHERE business_id = ${businessId} AND sequence <= ${after + 1}
        ) AS is_reached`;
      return (await readRows(reachedRow, statement)).some(({ is_reached }) => is_reached);
    },
    /** Events behind the near ones. */
    far: (count: number) =>
      readRows(
        eventRow,
        prisma.$queryRaw`
          SELECT ${columns} FROM unnest(${types}::text[]) AS wanted CROSS JOIN LATERAL (
            SELECT * FROM events
            WHERE business_id = ${businessId} AND type = wanted AND sequence > ${end} AND sequence <= ${lastSequence}
              AND ${visible}
            ORDER BY sequence LIMIT ${constant(maxEvents)}
          ) AS event ORDER BY sequence LIMIT ${count}`,
      ),
    /** The last event up to the position. */
    previous: async () => {
      const statement = prisma.$queryRaw`
        SELECT max(event.sequence) AS sequence FROM unnest(${types}::text[]) AS wanted CROSS JOIN LATERAL (
          SELECT sequence FROM events
          WHERE business_id = ${businessId} AND type = wanted AND sequence <= ${after} AND ${visible}
          ORDER BY sequence DESC LIMIT 1
        ) AS event`;
      const [row] = await readRows(sequenceRow, statement);
      return row?.sequence ?? 0;
    },
  };
}
