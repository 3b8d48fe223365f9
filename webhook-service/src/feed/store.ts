import type { Database } from '@platform/service-kit/database/database.ts';
import { eventBody } from '@platform/service-kit/event-body.ts';
import { randomId } from '@platform/service-kit/ids.ts';
import { z } from 'zod';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { endpointOfRow } from '../endpoints/store.ts';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import type { DeliveryPlan, LastByType } from './plan.ts';

/** How far the feed of a business has been read. */
export interface Progress {
  readonly sequence: number;
  readonly lastByType: LastByType;
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

const start: Progress = { sequence: 0, lastByType: {} };

export type FeedStore = ReturnType<typeof createFeedStore>;

/** Keeps progress through the feeds, and what they bring, in PostgreSQL. */
export function createFeedStore(prisma: PrismaClient, database: Database) {
  return {
    /** Progress of a business; before its first event where it is new. */
    progress: (businessId: number): Promise<Progress> =>
      database.run(async () => {
        const row = await prisma.feedProgress.findUnique({ where: { businessId } });
        if (row === null) return start;
        return { sequence: Number(row.sequence), lastByType: lastByType.parse(row.lastByType) };
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
    /** Whether there is any endpoint. */
    hasEndpoints: (): Promise<boolean> =>
      database.run(async () => (await prisma.endpoint.findFirst({ select: { id: true } })) !== null),
    /** Endpoints of a business itself, and of applications. */
    endpoints: (businessId: number, applicationIds: readonly string[]): Promise<Endpoint[]> =>
      database.run(async () => {
        const own = { businessId, applicationId: '' };
        const where = { OR: [own, { applicationId: { in: [...applicationIds] } }] };
        return (await prisma.endpoint.findMany({ where })).map(endpointOfRow);
      }),
    /**
     * Stores what a batch brings, and the progress, in one transaction. False when the progress is no longer `from`:
     * another replica has stored the batch.
     */
    advance: (advance: Advance): Promise<boolean> =>
      database.run(() => prisma.$transaction((tx) => storeBatch(tx, advance))),
  };
}

async function storeBatch(
  tx: Prisma.TransactionClient,
  { businessId, uniqueId, from, to, plan }: Advance,
): Promise<boolean> {
  const moved =
    from.sequence === 0
      ? await tx.$executeRaw`
          INSERT INTO feed_progress (business_id, unique_id, sequence, last_by_type)
          VALUES (${businessId}, ${uniqueId}, ${to}, ${JSON.stringify(plan.lastByType)}::jsonb) ON CONFLICT DO NOTHING`
      : await tx.$executeRaw`
          UPDATE feed_progress SET sequence = ${to}, last_by_type = ${JSON.stringify(plan.lastByType)}::jsonb
          WHERE business_id = ${businessId} AND sequence = ${from.sequence}`;
  if (moved === 0) return false;
  if (plan.deliveries.length === 0) return true;
  // An endpoint that is being deleted is either seen here or takes its new deliveries along.
  const ids = [...new Set(plan.deliveries.map(({ endpointId }) => endpointId))];
  const live = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM endpoints WHERE id = ANY(${ids}) FOR KEY SHARE`;
  await tx.message.createMany({ data: plan.messages.map((message) => messageRow(businessId, message)) });
  const liveIds = new Set(live.map(({ id }) => id));
  await tx.$executeRaw`
    INSERT INTO deliveries (id, endpoint_id, event_id, previous, status, next_attempt_at, finished_at)
    SELECT id, endpoint_id, event_id, previous, status::delivery_status,
           CASE status WHEN 'pending' THEN clock_timestamp() END,
           CASE status WHEN 'pending' THEN NULL ELSE clock_timestamp() END
    FROM json_to_recordset(${JSON.stringify(
      plan.deliveries.filter(({ endpointId }) => liveIds.has(endpointId)).map(deliveryRow),
    )}::json) AS row (id text, endpoint_id text, event_id text, previous bigint, status text)
    ON CONFLICT (endpoint_id, event_id) DO NOTHING`;
  return true;
}

function messageRow(businessId: number, { event, previous }: DeliveryPlan['messages'][number]) {
  const { id: eventId, type, sequence } = event;
  const body = eventBody({ ...event, business: event.uniqueId, previous });
  return { eventId, previous, businessId, type, sequence, body };
}

function deliveryRow({ endpointId, eventId, previous, enabled }: DeliveryPlan['deliveries'][number]) {
  const status = enabled ? 'pending' : 'skipped';
  return { id: randomId('dlv'), endpoint_id: endpointId, event_id: eventId, previous, status };
}
