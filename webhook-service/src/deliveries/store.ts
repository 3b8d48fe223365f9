import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { maxCounted, type Owner } from '../endpoints/endpoint.ts';
import { Prisma, type PrismaClient } from '../generated/client.ts';
import type { Instant } from '../values.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryStatus,
  deliveryStatuses,
  recoverableStatuses,
} from './delivery.ts';

/** Columns of `deliveryRow`, of `deliveries d JOIN messages m`. */
const columns = Prisma.sql`
  d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", m.type, m.business_id AS "businessId", m.sequence,
  d.status::text AS status, d.attempts, d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt",
  d.finished_at AS "finishedAt"`;

const joined = Prisma.sql`deliveries d JOIN messages m ON m.event_id = d.event_id AND m.previous = d.previous`;

const deliveryRow = z.object({
  id: z.string(),
  endpointId: z.string(),
  eventId: z.string(),
  type: z.string(),
  businessId: integer,
  sequence: integer,
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  nextAttemptAt: z.date().nullable(),
  createdAt: z.date(),
  finishedAt: z.date().nullable(),
}) satisfies z.ZodType<Delivery>;

/** Which deliveries of an owner to list. */
export interface DeliveryFilter {
  readonly owner: Owner;
  readonly endpointId: string | undefined;
  /** Empty for all. */
  readonly types: readonly string[];
  /** Empty for all. */
  readonly statuses: readonly DeliveryStatus[];
  /** Inclusive. */
  readonly since: Instant | undefined;
  /** Exclusive. */
  readonly until: Instant | undefined;
  readonly limit: number;
  /** Last delivery of the page before. */
  readonly after: Position | undefined;
}

interface NewTestEvent {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly businessId: number;
  readonly type: string;
  readonly body: string;
}

interface NewRecovery {
  readonly id: string;
  readonly endpointId: string;
  readonly since: Instant;
  /** Deliveries to send again. */
  readonly total: number;
}

interface RecoveryBatch {
  readonly endpointId: string;
  readonly recoveryId: string;
  /** Deliveries created since. */
  readonly since: Instant;
  /** Deliveries that ended before. */
  readonly until: Instant;
  /** Last delivery of the previous batch. Without it each batch would read the rows of all earlier batches again. */
  readonly after: Position | undefined;
  readonly limit: number;
}

interface Position {
  readonly createdAt: Instant;
  readonly id: string;
}

interface Recovered {
  readonly count: number;
  /** Undefined for an empty batch. */
  readonly last: Position | undefined;
}

const recoveredRow = z.object({ count: z.int(), createdAt: z.date(), id: z.string() });

/** Condition on statuses, as literals from `deliveryStatuses`: with parameters or casts, partial indexes are not used. */
function hasStatus(statuses: readonly DeliveryStatus[]): Prisma.Sql {
  const names = deliveryStatuses.filter((name) => statuses.includes(name));
  return Prisma.raw(`status IN (${names.map((name) => `'${name}'`).join(', ')})`);
}

const isRecoverable = hasStatus(recoverableStatuses);

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** Keeps deliveries and their attempts in PostgreSQL, for requests of people. The worker's part is in claim-store.ts. */
export function createDeliveryStore(prisma: PrismaClient, database: Database) {
  return {
    /** Newest first. */
    list: (filter: DeliveryFilter): Promise<Delivery[]> => database.run(() => selectPage(prisma, filter)),
    /** A delivery of an owner with its body and its latest attempts. */
    find: (owner: Owner, id: string) => database.run(() => findDelivery(prisma, owner, id)),
    /** Makes a delivery of an enabled endpoint of the owner pending, whatever its status; undefined for any other. */
    resend: (owner: Owner, id: string): Promise<Delivery | undefined> =>
      database.run(async () => {
        const resent = await prisma.$executeRaw`
          UPDATE deliveries d SET status = 'pending', round = 0, next_attempt_at = clock_timestamp(),
            finished_at = NULL, recovery_id = NULL
          FROM endpoints e WHERE e.id = d.endpoint_id AND e.enabled AND d.id = ${id} AND ${ownedBy(owner)}`;
        return resent === 0
          ? undefined
          : (await select(prisma, Prisma.sql`d.id = ${id} AND ${ownedBy(owner)}`))[0];
      }),
    /** Begins a recovery, and deletes those that are older than a month. */
    beginRecovery: (recovery: NewRecovery): Promise<unknown> =>
      database.run(() =>
        // The insert comes first: it locks the endpoint before the recoveries, in the same order as a deletion.
        prisma.$transaction([
          prisma.recovery.create({ data: recovery }),
          prisma.$executeRaw`
            DELETE FROM recoveries WHERE endpoint_id = ${recovery.endpointId}
              AND created_at < clock_timestamp() - interval '30 days'`,
        ]),
      ),
    /** Makes one batch of recoverable deliveries pending, the oldest first. */
    recover: (batch: RecoveryBatch): Promise<Recovered> =>
      database.run(() => prisma.$transaction((tx) => recoverSome(tx, batch))),
    /** Sets the exact total of a recovery once all of its deliveries are pending. */
    endRecovery: (id: string): Promise<unknown> =>
      database.run(() => prisma.$executeRaw`UPDATE recoveries SET total = requeued WHERE id = ${id}`),
    /** Number of recoverable deliveries of an endpoint, counted up to 100,000. */
    countRecoverable: (endpointId: string, since: Instant = new Date(0)): Promise<number> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT count(*)::int AS count FROM (SELECT FROM deliveries
            WHERE endpoint_id = ${endpointId} AND created_at >= ${since} AND ${isRecoverable} LIMIT ${maxCounted}) AS counted`;
        const [row] = await readRows(z.object({ count: z.int() }), statement);
        return row?.count ?? 0;
      }),
    /** Stores an event of one endpoint alone. */
    addTestEvent: (event: NewTestEvent): Promise<Delivery | undefined> =>
      database.run(async () => {
        const { deliveryId: id, endpointId, eventId, businessId, type, body } = event;
        await prisma.$transaction([
          prisma.message.create({ data: { eventId, previous: 0, businessId, type, sequence: 0, body } }),
          prisma.$executeRaw`
            INSERT INTO deliveries (id, endpoint_id, event_id, previous, status, next_attempt_at)
            VALUES (${id}, ${endpointId}, ${eventId}, 0, 'pending', clock_timestamp())`,
        ]);
        return (await select(prisma, Prisma.sql`d.id = ${id}`))[0];
      }),
    /** Public unique identifier of a business; undefined before its first event was read. */
    uniqueIdOf: (businessId: number): Promise<string | undefined> =>
      database.run(async () => {
        const row = await prisma.feedProgress.findUnique({
          where: { businessId },
          select: { uniqueId: true },
        });
        return row?.uniqueId;
      }),
  };
}

async function recoverSome(tx: Prisma.TransactionClient, batch: RecoveryBatch): Promise<Recovered> {
  const { endpointId, recoveryId, since, until, after, limit } = batch;
  const behind = after && Prisma.sql`AND (created_at > ${after.createdAt} OR id < ${after.id})`;
  const statement = tx.$queryRaw`
    WITH recovered AS (
      UPDATE deliveries SET status = 'pending', round = 0, next_attempt_at = clock_timestamp(), finished_at = NULL,
        recovery_id = ${recoveryId}
      WHERE id IN (
        SELECT id FROM deliveries
        WHERE endpoint_id = ${endpointId} AND created_at >= ${after?.createdAt ?? since} AND finished_at < ${until}
          AND ${isRecoverable} ${behind ?? Prisma.empty}
        ORDER BY created_at, id DESC LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING created_at, id)
    SELECT count(*) OVER ()::int AS count, created_at AS "createdAt", id FROM recovered
    ORDER BY created_at DESC, id LIMIT 1`;
  const [last] = await readRows(recoveredRow, statement);
  const count = last?.count ?? 0;
  await tx.$executeRaw`
    UPDATE recoveries SET requeued = requeued + ${count}, total = greatest(total, requeued + ${count}) WHERE id = ${recoveryId}`;
  return { count, last };
}

function ownedBy({ businessId, applicationId }: Owner): Prisma.Sql {
  return Prisma.sql`e.business_id = ${businessId} AND e.application_id = ${applicationId}`;
}

function select(prisma: PrismaClient, condition: Prisma.Sql): Promise<Delivery[]> {
  const statement = prisma.$queryRaw`
    SELECT ${columns} FROM ${joined} JOIN endpoints e ON e.id = d.endpoint_id WHERE ${condition}`;
  return readRows(deliveryRow, statement);
}

/** Searches an index for each endpoint of the owner. In one search for all, PostgreSQL would scan those of other owners. */
function selectPage(prisma: PrismaClient, filter: DeliveryFilter): Promise<Delivery[]> {
  const { owner, endpointId, limit } = filter;
  const named = endpointId === undefined ? Prisma.empty : Prisma.sql`AND e.id = ${endpointId}`;
  const statement = prisma.$queryRaw`
    SELECT page.* FROM endpoints e CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${joined} WHERE d.endpoint_id = e.id ${conditionOf(filter)}
      ORDER BY d.created_at DESC, d.id LIMIT ${limit}) AS page
    WHERE ${ownedBy(owner)} ${named} ORDER BY page."createdAt" DESC, page.id LIMIT ${limit}`;
  return readRows(deliveryRow, statement);
}

function conditionOf({ types, statuses, since, until, after }: DeliveryFilter): Prisma.Sql {
  const conditions = [Prisma.empty];
  if (types.length > 0) conditions.push(Prisma.sql`m.type = ANY(${[...types]})`);
  if (statuses.length > 0) conditions.push(hasStatus(statuses));
  if (since !== undefined) conditions.push(Prisma.sql`d.created_at >= ${since}`);
  if (until !== undefined) conditions.push(Prisma.sql`d.created_at < ${until}`);
  if (after !== undefined) {
    const { createdAt, id } = after;
    conditions.push(
      Prisma.sql`d.created_at <= ${createdAt} AND (d.created_at < ${createdAt} OR d.id > ${id})`,
    );
  }
  return Prisma.join(conditions, ' AND ');
}

interface DeliveryDetails {
  readonly delivery: Delivery;
  readonly body: string;
  readonly attempts: readonly Attempt[];
}

/** Number of latest attempts that are shown. After many resends, all of them would exceed the size of a message. */
const shownAttempts = 50;

async function findDelivery(
  prisma: PrismaClient,
  owner: Owner,
  id: string,
): Promise<DeliveryDetails | undefined> {
  const [delivery] = await select(prisma, Prisma.sql`d.id = ${id} AND ${ownedBy(owner)}`);
  if (delivery === undefined) return undefined;
  const row = await prisma.delivery.findUnique({
    where: { id },
    select: {
      message: { select: { body: true } },
      attemptRows: { orderBy: { number: 'desc' }, take: shownAttempts },
    },
  });
  return row === null
    ? undefined
    : { delivery, body: row.message.body, attempts: row.attemptRows.toReversed() };
}
