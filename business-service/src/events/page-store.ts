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
  /** Exclusive; undefined for the first event that is kept. */
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
  /** Whether the event after the position is no longer kept. */
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

/**
 * Reads where the feed ends, then events up to there: none of them changes. The event after the position is kept, or there
 * would be a gap.
 */
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
        date_trunc('day', now()) - make_interval(days => ${keptDays}::int) AS oldest
      FROM businesses JOIN business_counters ON business_id = id WHERE id = ${businessId}`,
  );
  if (head === undefined) return undefined;
  const { unique_id: uniqueId, is_banned: isBanned, last_sequence: lastSequence, oldest } = head;
  const part = { uniqueId, isBanned, lastSequence, previous: 0, events: [], isExpired: false };
  const first = afterSequence === undefined ? await firstSince(prisma, businessId, oldest) : undefined;
  const after = afterSequence ?? (first ?? lastSequence + 1) - 1;
  if (isBanned || after >= lastSequence) return part;
  const statements = statementsOf(prisma, { ...read, after, lastSequence });
  const { events, previous } = await statements.near();
  const next = events[0]?.sequence === after + 1 ? events[0].createdAt : await statements.next();
  if (next === undefined || next < oldest) return { ...part, isExpired: true };
  if (events.length < limit && after + near < lastSequence) {
    events.push(...(await statements.far(limit - events.length)));
  }
  const isKnown = previous !== undefined || events.length === 0 || after === 0;
  return { ...part, events, previous: isKnown ? (previous ?? 0) : await statements.previous() };
}

const sequenceRow = z.object({ sequence: integer.nullable() });

/** Sequence of the first event of the days that are kept; undefined for none. */
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

/** The statements of a page. Each bounds what it reads of a partition by an index. */
function statementsOf(
  prisma: PrismaClient,
  { businessId, applicationId, types, limit, after, lastSequence }: Position,
) {
  const visible =
    applicationId === undefined
      ? Prisma.sql`true`
      : Prisma.sql`(application_id IS NULL OR application_id = ${applicationId})`;
  const columns = Prisma.sql`id, type, created_at, sequence, payload::text AS data, application_id, traceparent`;
  const end = Math.min(after + near, lastSequence);
  return {
    /** Events of the next sequences, and the last of the sequences before. */
    near: async () => {
      const statement = prisma.$queryRaw`
        SELECT ${columns}, (
          SELECT sequence FROM events
          WHERE business_id = ${businessId} AND sequence > ${after - near} AND sequence <= ${after}
            AND type = ANY (${types}::text[]) AND ${visible}
          ORDER BY sequence DESC LIMIT 1
        ) AS previous FROM events
        WHERE business_id = ${businessId} AND sequence > ${after} AND sequence <= ${end}
          AND type = ANY (${types}::text[]) AND ${visible}
        ORDER BY sequence LIMIT ${limit}`;
      const rows = await statement;
      const [row] = await readRows(nearRow, Promise.resolve(rows));
      return {
        events: await readRows(eventRow, Promise.resolve(rows)),
        previous: row?.previous ?? undefined,
      };
    },
    /** When the next event of any type was; undefined where it is not kept. */
    next: async (): Promise<Instant | undefined> => {
      const statement = prisma.$queryRaw`
        SELECT created_at FROM events WHERE business_id = ${businessId} AND sequence = ${after + 1}`;
      const [row] = await readRows(z.object({ created_at: z.date() }), statement);
      return row?.created_at;
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
            ORDER BY sequence LIMIT ${count}
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
