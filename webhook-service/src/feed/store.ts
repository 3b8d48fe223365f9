import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { eventBody } from '@platform/service-kit/values/event-body.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import { z } from 'zod';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { endpointOfRow } from '../endpoints/store.ts';
import type { PrismaClient } from '../generated/client.ts';
import type { DeliveryPlan, LastByType } from './plan.ts';

/** How far the feed of a business has been read. */
export interface Progress {
  readonly sequence: number;
  readonly lastByType: LastByType;
  /** Erasures of persons from events so far. */
  readonly erasures: number;
}

interface Advance {
  readonly businessId: number;
  /** Public unique identifier of the business. */
  readonly uniqueId: string;
  /** Progress that the plan was made from. */
  readonly from: Progress;
  /** Sequence of the last event of the batch. */
  readonly to: number;
  readonly plan: DeliveryPlan;
}

const lastByType = z.record(z.string(), z.int());

const start: Progress = { sequence: 0, lastByType: {}, erasures: 0 };

export type FeedStore = ReturnType<typeof createFeedStore>;

/** Keeps the progress through feeds, and their messages and deliveries, in PostgreSQL. */
export function createFeedStore(prisma: PrismaClient, database: Database) {
  let hasAny = false;
  return {
    /** Progress of a business; before its first event where it is new. */
    progress: (businessId: number): Promise<Progress> =>
      database.run(async () => {
        const row = await prisma.feedProgress.findUnique({ where: { businessId } });
        if (row === null) return start;
        return {
          sequence: Number(row.sequence),
          lastByType: lastByType.parse(row.lastByType),
          erasures: Number(row.erasures),
        };
      }),
    /** Sequences by business; new businesses are left out. */
    sequences: (businessIds: readonly number[]): Promise<ReadonlyMap<number, number>> =>
      database.run(async () => {
        const where = { businessId: { in: businessIds.map(BigInt) } };
        const rows = await prisma.feedProgress.findMany({
          where,
          select: { businessId: true, sequence: true },
        });
        return new Map(rows.map((row) => [Number(row.businessId), Number(row.sequence)]));
      }),
    /** Whether there is any endpoint, or was since this process began. */
    hasEndpoints: async (): Promise<boolean> => {
      hasAny ||= await database.run(
        async () => (await prisma.endpoint.findFirst({ select: { id: true } })) !== null,
      );
      return hasAny;
    },
    /** Endpoints of a business itself, and of applications. */
    endpoints: (businessId: number, applicationIds: readonly string[]): Promise<Endpoint[]> =>
      database.run(async () => {
        const own = { businessId, applicationId: '' };
        const where = { OR: [own, { applicationId: { in: [...applicationIds] } }] };
        return (await prisma.endpoint.findMany({ where })).map(endpointOfRow);
      }),
    /**
     * Stores messages, deliveries and progress of a batch in one statement. False if the progress is no longer `from`, because
     * another replica has stored the batch, or a person was erased since the events were read.
     */
    advance: (advance: Advance): Promise<boolean> =>
      database.run(async () => (await readRows(movedRow, storeBatch(prisma, advance))).length > 0),
  };
}

const movedRow = z.object({ moved: z.int() });

/** Locks endpoints against deletion: one that is being deleted either gets no deliveries, or loses them with the deletion. */
function storeBatch(prisma: PrismaClient, { businessId, uniqueId, from, to, plan }: Advance) {
  const messages = plan.messages.map((message) => messageRow(businessId, message));
  const deliveries = plan.deliveries.map(deliveryRow);
  const endpointIds = [...new Set(plan.deliveries.map(({ endpointId }) => endpointId))];
  return prisma.$queryRaw`
    WITH moved AS (
      INSERT INTO feed_progress (business_id, unique_id, sequence, last_by_type)
      VALUES (${businessId}, ${uniqueId}, ${to}, ${JSON.stringify(plan.lastByType)}::jsonb)
      ON CONFLICT (business_id) DO UPDATE SET sequence = excluded.sequence, last_by_type = excluded.last_by_type
        WHERE feed_progress.sequence = ${from.sequence} AND feed_progress.erasures = ${from.erasures}
      RETURNING 1 AS moved),
    live AS (
      SELECT id FROM endpoints WHERE id = ANY(${endpointIds}) AND EXISTS (SELECT FROM moved) FOR KEY SHARE),
    stored AS (
      INSERT INTO messages (event_id, previous, business_id, type, sequence, body, traceparent)
      SELECT * FROM json_to_recordset(${JSON.stringify(messages)}::json) AS message (
        event_id text, previous bigint, business_id bigint, type text, sequence bigint, body text, traceparent text)
      WHERE EXISTS (SELECT FROM moved)),
    due AS (
      INSERT INTO deliveries (id, endpoint_id, event_id, previous, status, next_attempt_at, finished_at)
      SELECT row.id, endpoint_id, event_id, previous, status::delivery_status,
             CASE status WHEN 'pending' THEN clock_timestamp() END,
             CASE status WHEN 'pending' THEN NULL ELSE clock_timestamp() END
      FROM json_to_recordset(${JSON.stringify(deliveries)}::json) AS row (
        id text, endpoint_id text, event_id text, previous bigint, status text)
      JOIN live ON live.id = endpoint_id
      ON CONFLICT (endpoint_id, event_id) DO NOTHING)
    SELECT moved FROM moved`;
}

function messageRow(businessId: number, { event, previous }: DeliveryPlan['messages'][number]) {
  const { id, type, sequence, traceparent } = event;
  const body = eventBody({ ...event, business: event.uniqueId, previous });
  return {
    event_id: id,
    previous,
    business_id: businessId,
    type,
    sequence,
    body,
    traceparent: traceparent || null,
  };
}

function deliveryRow({ endpointId, eventId, previous, enabled }: DeliveryPlan['deliveries'][number]) {
  const status = enabled ? 'pending' : 'skipped';
  return { id: randomId('dlv'), endpoint_id: endpointId, event_id: eventId, previous, status };
}
