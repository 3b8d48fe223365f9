import type { Database } from '@platform/service-kit/database/database.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { fitsEvent } from '@platform/service-kit/values/event-body.ts';
import { z } from 'zod';
import { type AnnounceChange, appendEvent, type LockedSequence, lockSequence } from '../events/sequence.ts';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import type { Author } from '../passport.ts';
import type { Instant } from '../values.ts';
import type { OrderChange } from './change.ts';
import { type Idempotency, isExpired } from './idempotency.ts';
import type { Order } from './order.ts';
import type { OrderQuery } from './query.ts';
import { type OrderResource, orderResource } from './resource.ts';

/** Number and time of a new order. */
interface OrderSlot {
  /** Number for a new order. */
  readonly orderNumber: number;
  /** The database's clock. */
  readonly now: Instant;
}

export type InsertOutcome =
  | { readonly kind: 'created'; readonly resource: OrderResource }
  /** The key was used before, with the same body: the earlier response. */
  | { readonly kind: 'replayed'; readonly resource: OrderResource }
  /** The key was used before, with another body. */
  | { readonly kind: 'key_reused' }
  /** Larger than its events may be. */
  | { readonly kind: 'too_large' };

/** A row of the table. */
export type OrderRow = Prisma.OrderGetPayload<object>;

// Content of the JSON columns. A row that does not match was not written by this service.
const lineItems = z.array(
  z.object({ name: z.string(), sku: z.string().nullable(), quantity: z.int(), unitAmount: z.int() }),
);

const customer = z.object({ name: z.string(), email: z.string().nullable() });

const metadata = z.record(z.string(), z.string());

/** The order of a row. */
export function orderOfRow(row: OrderRow): Order {
  return {
    ...row,
    number: Number(row.number),
    total: Number(row.total),
    lineItems: lineItems.parse(row.lineItems),
    customer: customer.parse(row.customer),
    metadata: metadata.parse(row.metadata),
  };
}

function rowOfOrder(order: Order) {
  return {
    ...order,
    lineItems: order.lineItems.map((item) => ({ ...item })),
    customer: { ...order.customer },
    metadata: { ...order.metadata },
  };
}

// The column holds the orderResource that the first use of the key returned.
const storedResource = z.custom<OrderResource>((value) => typeof value === 'object' && value !== null);

/**
 * Inserts an order, or replays the response to an earlier use of its key. The lock serializes requests with the same
 * key, so exactly one of them inserts.
 * @throws AppError `not_found` when there is no such business
 */
async function insertOrder(
  tx: Prisma.TransactionClient,
  { businessId, credentialId }: Author,
  idempotency: Idempotency | undefined,
  compose: (slot: OrderSlot) => Order,
): Promise<InsertOutcome> {
  const sequence = await lockSequence(tx, businessId);
  if (sequence === undefined) throw new AppError('not_found', 'business_not_found', 'no such business');
  const before = idempotency && (await recall(tx, sequence, idempotency));
  if (before !== undefined) return before;
  const order = compose(sequence);
  const resource = orderResource(order);
  if (!fitsEvent(resource)) return { kind: 'too_large' };
  await tx.order.create({ data: rowOfOrder(order), select: { id: true } });
  await appendEvent(tx, sequence, { type: 'order.created', payload: resource, credentialId });
  if (idempotency !== undefined) await remember(tx, sequence, idempotency, resource);
  return { kind: 'created', resource };
}

async function recall(
  tx: Prisma.TransactionClient,
  { businessId, now }: LockedSequence,
  { key, fingerprint }: Idempotency,
): Promise<InsertOutcome | undefined> {
  const row = await tx.idempotencyKey.findUnique({ where: { businessId_key: { businessId, key } } });
  if (row === null || isExpired(row.createdAt, now)) return undefined;
  if (row.fingerprint !== fingerprint) return { kind: 'key_reused' };
  return { kind: 'replayed', resource: storedResource.parse(row.response) };
}

async function remember(
  tx: Prisma.TransactionClient,
  { businessId, now }: LockedSequence,
  { key, fingerprint }: Idempotency,
  response: OrderResource,
): Promise<void> {
  const content = { fingerprint, response, createdAt: now };
  await tx.idempotencyKey.upsert({
    where: { businessId_key: { businessId, key } },
    create: { businessId, key, ...content },
    update: content,
    select: { key: true },
  });
}

export type OrderStore = ReturnType<typeof createOrderStore>;

/** Keeps orders in PostgreSQL. Every write appends its event in the same transaction. */
export function createOrderStore(prisma: PrismaClient, database: Database, announce: AnnounceChange) {
  return {
    find: (businessId: number, id: string): Promise<Order | undefined> =>
      database.run(() => findOrder(prisma, businessId, id)),
    /** One more than the limit when there are more. */
    list: (businessId: number, query: OrderQuery): Promise<readonly Order[]> =>
      database.run(() =>
        query.updatedFrom === undefined
          ? listOrders(prisma, businessId, query)
          : listChanged(prisma, businessId, query, query.updatedFrom),
      ),
    insert: (
      author: Author,
      idempotency: Idempotency | undefined,
      compose: (slot: OrderSlot) => Order,
    ): Promise<InsertOutcome> =>
      database.runInTurn(author.businessId, async () => {
        const outcome = await prisma.$transaction((tx) => insertOrder(tx, author, idempotency, compose));
        if (outcome.kind === 'created') announce(author.businessId);
        return outcome;
      }),
    /** Applies a decision to the locked current state; undefined for no such order. */
    change: (
      author: Author,
      id: string,
      decide: (order: Order, now: Instant) => OrderChange,
    ): Promise<OrderChange | undefined> =>
      database.runInTurn(author.businessId, async () => {
        const change = await prisma.$transaction((tx) => changeOrder(tx, author, id, decide));
        if (change?.kind === 'changed') announce(author.businessId);
        return change;
      }),
    /** Deletes the orders and idempotency keys of a sandbox. */
    removeAll: (businessId: number): Promise<void> =>
      database.runInTurn(businessId, async () => {
        const where = { businessId };
        await prisma.$transaction([
          prisma.order.deleteMany({ where: { ...where, business: { isSandbox: true } } }),
          prisma.idempotencyKey.deleteMany({ where }),
        ]);
      }),
  };
}

async function findOrder(
  tx: Prisma.TransactionClient,
  businessId: number,
  id: string,
): Promise<Order | undefined> {
  const row = await tx.order.findUnique({ where: { businessId_id: { businessId, id } } });
  return row === null ? undefined : orderOfRow(row);
}

async function listOrders(prisma: PrismaClient, businessId: number, query: OrderQuery): Promise<Order[]> {
  const { limit, belowNumber, status, createdFrom, createdTo } = query;
  const [from, to] = await Promise.all([
    createdFrom && firstNumberSince(prisma, businessId, addMs(createdFrom, -clockErrorMs)),
    createdTo && firstNumberSince(prisma, businessId, addMs(createdTo, clockErrorMs)),
  ]);
  if (createdFrom !== undefined && from === undefined) return [];
  const rows = await prisma.order.findMany({
    where: {
      businessId,
      ...(status !== undefined && { status }),
      AND: [{ number: between(from, to) }, { number: between(undefined, belowNumber) }],
      // The exact condition. The bounds by number are wider, and ignore orders that were created since they were read.
      createdAt: between(createdFrom, createdTo),
    },
    orderBy: { number: 'desc' },
    take: limit + 1,
  });
  return rows.map(orderOfRow);
}

/**
 * By the last change, oldest first. Each change of a business has a later time than the one before, so one that is made while
 * pages are read appears on a later page.
 */
async function listChanged(
  prisma: PrismaClient,
  businessId: number,
  { limit, status, createdFrom, createdTo, after }: OrderQuery,
  updatedFrom: Instant,
): Promise<Order[]> {
  const changedAt = after && new Date(after.updatedAtMs);
  const from = changedAt === undefined || changedAt < updatedFrom ? updatedFrom : changedAt;
  const rows = await prisma.order.findMany({
    where: {
      businessId,
      ...(status !== undefined && { status }),
      createdAt: between(createdFrom, createdTo),
      updatedAt: { gte: from },
      ...(after !== undefined &&
        changedAt !== undefined && {
          OR: [{ updatedAt: { gt: changedAt } }, { updatedAt: changedAt, number: { gt: after.number } }],
        }),
    },
    orderBy: [{ updatedAt: 'asc' }, { number: 'asc' }],
    take: limit + 1,
  });
  return rows.map(orderOfRow);
}

/** Milliseconds by which the database's clock may have been set back, so that a later number has an earlier time. */
const clockErrorMs = 60_000;

const addMs = (time: Instant, ms: number): Instant => new Date(time.getTime() + ms);

function between<T>(from: T | undefined, to: T | undefined) {
  return { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) };
}

/**
 * Number of the first order from a time on. It bounds a time span by number: with times alone, PostgreSQL would read all
 * orders that are newer than the span.
 */
async function firstNumberSince(
  prisma: PrismaClient,
  businessId: number,
  time: Instant,
): Promise<bigint | undefined> {
  const first = await prisma.order.findFirst({
    where: { businessId, createdAt: { gte: time } },
    orderBy: [{ createdAt: 'asc' }, { number: 'asc' }],
    select: { number: true },
  });
  return first?.number;
}

async function changeOrder(
  tx: Prisma.TransactionClient,
  { businessId, credentialId }: Author,
  id: string,
  decide: (order: Order, now: Instant) => OrderChange,
): Promise<OrderChange | undefined> {
  const sequence = await lockSequence(tx, businessId);
  const order = sequence && (await findOrder(tx, businessId, id));
  if (sequence === undefined || order === undefined) return undefined;
  const change = decide(order, sequence.now);
  if (change.kind !== 'changed') return change;
  const where = { businessId_id: { businessId, id } };
  await tx.order.update({ where, data: rowOfOrder(change.order), select: { id: true } });
  const payload = orderResource(change.order);
  await appendEvent(tx, sequence, { type: change.event, payload, credentialId });
  return change;
}
