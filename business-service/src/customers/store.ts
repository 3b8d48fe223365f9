import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { eraseCustomer, erasedCustomer } from '@platform/service-kit/values/erased-customer.ts';
import { z } from 'zod';
import { type AnnounceChange, appendEvents, type LockedSequence, lockSequence } from '../events/sequence.ts';
import { Prisma, type PrismaClient } from '../generated/client.ts';
import { orderResource } from '../orders/resource.ts';
import { type OrderRow, orderOfRow } from '../orders/store.ts';
import type { Author } from '../passport.ts';

/** Rows that one transaction changes at most: it locks out the other writers of the business for some hundredths of a second. */
const batchSizes = { orders: 100, events: 200, unaddressed: 500 };

interface ErasedBatch {
  /** Orders that were changed. */
  readonly orders: number;
  /** Events that were rewritten. */
  readonly events: number;
  /** Whether nothing is left. */
  readonly isLast: boolean;
}

/** An event that lost its person. */
export interface ErasedEvent {
  /** Of the erasure: rises with time. */
  readonly id: number;
  readonly businessId: number;
  /** Public unique identifier of the business. */
  readonly uniqueId: string;
  readonly eventId: string;
}

const idRow = z.object({ id: z.string() });

const eventRow = z.object({
  id: z.string(),
  sequence: integer,
  created_at: z.date(),
  order_id: z.string(),
  payload: z.string(),
});

type EventRow = z.output<typeof eventRow>;

const erasedRow = z.object({
  id: integer,
  businessId: z.int(),
  uniqueId: z.string(),
  eventId: z.string(),
});

/** The customer of a stored order as the indexes have it: the address, and the order where there is none. */
const customerOf = (order: 'payload' | 'response') =>
  Prisma.raw(`coalesce(lower((${order} #>> '{customer,email}') COLLATE "C"), ${order} ->> 'id')`);

const eventCustomer = customerOf('payload');

const responseCustomer = customerOf('response');

/**
 * Events of an operator's service may have such fields too, and are of another shape. IS TRUE keeps PostgreSQL from the index of types, which
 * it prefers to that of customers while a day has no statistics.
 */
const isOfOrder = Prisma.sql`(type LIKE 'order.%') IS TRUE`;

/** The case of the letters A to Z makes no difference. */
const keyOf = (email: string) => Prisma.sql`lower(${email}::text COLLATE "C")`;

export type CustomerStore = ReturnType<typeof createCustomerStore>;

/** Erases customers from orders, events and stored responses in PostgreSQL. */
export function createCustomerStore(prisma: PrismaClient, database: Database, announce: AnnounceChange) {
  return {
    /** Erases a person from one batch, in a transaction. @throws AppError `not_found` when there is no such business */
    eraseSome: (author: Author, email: string): Promise<ErasedBatch> =>
      database.runInTurn(author.businessId, async () => {
        const batch = await prisma.$transaction((tx) => eraseSome(tx, author, email));
        if (batch.events > 0) announce(author.businessId);
        return batch;
      }),
    /** Whether webhook-service may still have the earlier text of an event. */
    hasUnconfirmed: (businessId: number): Promise<boolean> =>
      database.run(async () => (await prisma.erasedEvent.findFirst({ where: { businessId } })) !== null),
    /** Erasures of events of all businesses after one, for webhook-service, from which on they wait for its confirmation. */
    listErased: (afterId: number, limit: number): Promise<readonly ErasedEvent[]> =>
      database.run(() =>
        readRows(
          erasedRow,
          prisma.$queryRaw`
            WITH noted AS (INSERT INTO copy_holders (name) VALUES ('webhook-service') ON CONFLICT DO NOTHING)
            SELECT e.id, e.business_id AS "businessId", b.unique_id AS "uniqueId", e.event_id AS "eventId"
            FROM erased_events e JOIN businesses b ON b.id = e.business_id
            WHERE e.id > ${afterId} ORDER BY e.id LIMIT ${limit}`,
        ),
      ),
    confirmErased: (ids: readonly number[]): Promise<number> =>
      database.run(() => prisma.$executeRaw`DELETE FROM erased_events WHERE id = ANY(${ids}::bigint[])`),
  };
}

/**
 * Erases what has the address, and what has none of the same orders. The latter is found by the former alone, so it comes first.
 */
async function eraseSome(tx: Prisma.TransactionClient, author: Author, email: string): Promise<ErasedBatch> {
  const { businessId } = author;
  const sequence = await lockSequence(tx, businessId);
  if (sequence === undefined) throw new AppError('not_found', 'business_not_found', 'no such business');
  const key = keyOf(email);
  const addressed = await findEvents(tx, businessId, Prisma.sql`= ${key}`, batchSizes.events);
  const owned = await findOrders(tx, businessId, key);
  const orderIds = [...new Set([...addressed.map((event) => event.order_id), ...owned])];
  const others = await findUnaddressed(tx, businessId, orderIds);
  if (others.length === batchSizes.unaddressed) {
    await rewriteEvents(tx, businessId, others);
    return { orders: 0, events: others.length, isLast: false };
  }
  const events = [...addressed, ...others];
  if (events.length > 0) await rewriteEvents(tx, businessId, events);
  const isLast = addressed.length < batchSizes.events && owned.length < batchSizes.orders;
  if (isLast || orderIds.length > 0) await eraseResponses(tx, businessId, key, orderIds);
  const orders = await eraseOrders(tx, author, sequence, { owned, orderIds });
  return { orders, events: events.length, isLast };
}

function findEvents(
  tx: Prisma.TransactionClient,
  businessId: number,
  customer: Prisma.Sql,
  limit: number,
): Promise<EventRow[]> {
  const statement = tx.$queryRaw`
    SELECT id, sequence, created_at, payload ->> 'id' AS order_id, payload::text AS payload FROM events
    WHERE business_id = ${businessId} AND ${eventCustomer} ${customer} AND ${isOfOrder} LIMIT ${limit}`;
  return readRows(eventRow, statement);
}

/** Events of orders without an address, unless they are erased. */
async function findUnaddressed(
  tx: Prisma.TransactionClient,
  businessId: number,
  orderIds: readonly string[],
): Promise<EventRow[]> {
  if (orderIds.length === 0) return [];
  const isUnerased = Prisma.sql`
    (payload #>> '{customer,name}' <> ${erasedCustomer.name} OR payload ->> 'metadata' <> '{}')`;
  return findEvents(
    tx,
    businessId,
    Prisma.sql`= ANY(${orderIds}::text[]) AND ${isUnerased}`,
    batchSizes.unaddressed,
  );
}

async function findOrders(
  tx: Prisma.TransactionClient,
  businessId: number,
  key: Prisma.Sql,
): Promise<string[]> {
  const statement = tx.$queryRaw`
    SELECT id FROM orders
    WHERE business_id = ${businessId} AND lower((customer ->> 'email') COLLATE "C") = ${key} LIMIT ${batchSizes.orders}`;
  return (await readRows(idRow, statement)).map(({ id }) => id);
}

async function rewriteEvents(
  tx: Prisma.TransactionClient,
  businessId: number,
  events: readonly EventRow[],
): Promise<void> {
  const rows = events.map((event) => ({ ...event, payload: eraseCustomer(event.payload) }));
  // Without it the trigger of the table refuses the change.
  await tx.$queryRaw`SELECT set_config('platform.erasure', 'on', true)`;
  await tx.$executeRaw`
    UPDATE events SET payload = erased.payload::json
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS erased (sequence bigint, created_at timestamptz, payload text)
    WHERE business_id = ${businessId} AND events.sequence = erased.sequence AND events.created_at = erased.created_at`;
  await tx.$executeRaw`
    INSERT INTO erased_events (business_id, event_id)
    SELECT ${businessId}, unnest(${events.map(({ id }) => id)}::text[]) WHERE EXISTS (SELECT FROM copy_holders)`;
}

/** Their keys stay, so that a request which is repeated creates no second order. */
async function eraseResponses(
  tx: Prisma.TransactionClient,
  businessId: number,
  key: Prisma.Sql,
  orderIds: readonly string[],
): Promise<void> {
  const rows = await readRows(
    z.object({ key: z.string(), response: z.string() }),
    tx.$queryRaw`
      SELECT key, response::text AS response FROM idempotency_keys
      WHERE business_id = ${businessId} AND ${responseCustomer} = ANY(array_append(${orderIds}::text[], ${key}))`,
  );
  const erased = rows.map((row) => ({ ...row, response: eraseCustomer(row.response) }));
  await tx.$executeRaw`
    UPDATE idempotency_keys i SET response = erased.response::json
    FROM json_to_recordset(${JSON.stringify(erased)}::json) AS erased (key text, response text)
    WHERE i.business_id = ${businessId} AND i.key = erased.key`;
}

/** Erases orders, and those without an address, whose events had it. Each change has its event. */
async function eraseOrders(
  tx: Prisma.TransactionClient,
  { businessId, credentialId }: Author,
  sequence: LockedSequence,
  { owned, orderIds }: { readonly owned: readonly string[]; readonly orderIds: readonly string[] },
): Promise<number> {
  if (orderIds.length === 0) return 0;
  const rows = await tx.$queryRaw<OrderRow[]>`
    UPDATE orders SET customer = ${JSON.stringify(erasedCustomer)}::jsonb, metadata = '{}', updated_at = ${sequence.now}
    WHERE business_id = ${businessId} AND id = ANY(${orderIds}::text[]) AND (id = ANY(${owned}::text[])
      OR customer ->> 'email' IS NULL AND (customer ->> 'name' <> ${erasedCustomer.name} OR metadata <> '{}'))
    RETURNING id, business_id AS "businessId", number, status::text, currency, line_items AS "lineItems", total, customer, metadata,
      created_at AS "createdAt", updated_at AS "updatedAt", paid_at AS "paidAt", fulfilled_at AS "fulfilledAt",
      cancelled_at AS "cancelledAt"`;
  const events = rows.map((row) => {
    const payload = orderResource(orderOfRow(row));
    return { type: 'order.updated', payload, credentialId } as const;
  });
  if (events.length > 0) await appendEvents(tx, sequence, events);
  return rows.length;
}
