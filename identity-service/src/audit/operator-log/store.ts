import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import type { Json } from '../../platform/actor.ts';
import type { PrismaClient } from '../../platform/storage.ts';
import { checkImpartial } from './impartial-store.ts';
import {
  auditEventIdOf,
  contentOf,
  type Link,
  type OperatorEvent,
  readingActions,
  type StoredAuditEvent,
} from './log.ts';

/**
 * Records an event in the transaction of its change. The link in the hash chain is written on commit.
 * @throws AppError own_business for a decision about a business of the operator's own
 */
export async function insertOperatorEvent(
  client: Prisma.TransactionClient,
  event: OperatorEvent,
): Promise<void> {
  await checkImpartial(client, event);
  await client.operatorEvent.create({ data: { content: contentOf(event) }, select: { id: true } });
}

const linkRow = z
  .object({
    position: integer,
    eventId: integer.transform(String),
    hash: bytes,
    at: nullable(timestamp),
    content: nullable(z.string()),
  })
  .transform(({ position, eventId, hash, at, content }) => ({
    position,
    eventId,
    hash: hash.toString('hex'),
    event: at === undefined || content === undefined ? undefined : { at, content },
  }));

const unexplainedRow = z.object({ id: integer.transform(String), businessId: integer });

const entryRow = z.object({ position: integer, at: timestamp, content: z.string() });

/** Entry of the log as it is read. */
export type LogEntry = z.output<typeof entryRow>;

export type OperatorLogStore = ReturnType<typeof createOperatorLogStore>;

/** Reads the log of operators, and records what is in no other transaction. */
export function createOperatorLogStore(database: Database, prisma: PrismaClient) {
  return {
    record: (event: OperatorEvent): Promise<void> => database.run(() => insertOperatorEvent(prisma, event)),
    /** Links after a position, in order. */
    links: (after: number, limit: number): Promise<Link[]> =>
      database.run(() => readLinks(prisma, after, limit)),
    /** The first event without a link in the chain; undefined when all have one. */
    findUnlinked: (): Promise<string | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT id FROM operator_events e
          WHERE NOT EXISTS (SELECT 1 FROM operator_chain c WHERE c.event_id = e.id) ORDER BY id LIMIT 1`;
        const [row] = await readRows(z.object({ id: integer.transform(String) }), statement);
        return row?.id;
      }),
    /**
     * The first audit event of an operator without an operator event; undefined when all have one. Copies for other
     * businesses count by the operator event of their request. Call it only after the chain was checked.
     */
    findUnexplained: (): Promise<z.output<typeof unexplainedRow> | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          WITH events AS (
            SELECT (content::jsonb ->> 'auditEventId')::bigint AS id, content::jsonb ->> 'requestId' AS request_id,
                   content::jsonb ->> 'action' AS action, content::jsonb ->> 'subjectId' AS subject_id,
                   (content::jsonb ->> 'businessId')::bigint AS business_id
            FROM operator_events WHERE content::jsonb ? 'auditEventId'
          )
          SELECT a.id, a.business_id AS "businessId" FROM audit_events a
          WHERE a.actor_kind = 'operator' AND NOT EXISTS (SELECT 1 FROM events d WHERE d.id = a.id)
            AND NOT EXISTS (
              SELECT 1 FROM events d WHERE d.request_id = a.request_id AND d.action = a.action AND d.subject_id = a.subject_id
                AND d.business_id <> a.business_id
            )
          ORDER BY a.id LIMIT 1`;
        return (await readRows(unexplainedRow, statement))[0];
      }),
    /** A page, newest first. @param before position of the entry before which it begins; undefined for the newest */
    page: (filter: LogFilter, before: number | undefined, limit: number): Promise<LogEntry[]> =>
      database.run(() => readPage(prisma, filter, before, limit)),
  };
}

/** Which entries are wanted. */
export interface LogFilter {
  /** Email address of an operator of the console, or login of one of the shell. */
  readonly operator?: string | undefined;
  readonly businessId?: number | undefined;
  /** Only changes, or only reads and searches. */
  readonly kind?: 'changes' | 'looks' | undefined;
}

function readPage(
  prisma: PrismaClient,
  { operator, businessId, kind }: LogFilter,
  before: number | undefined,
  limit: number,
): Promise<LogEntry[]> {
  const event = Prisma.sql`e.content::jsonb`;
  const wanted = [
    ...(before === undefined ? [] : [Prisma.sql`c.position < ${before}`]),
    ...(operator === undefined
      ? []
      : [
          Prisma.sql`${event} ->> 'operator' IN (${operator}, (SELECT id FROM people WHERE email = lower(${operator})))`,
        ]),
    ...(businessId === undefined ? [] : [Prisma.sql`(${event} ->> 'businessId')::bigint = ${businessId}`]),
    ...(kind === undefined
      ? []
      : [Prisma.sql`(${event} ->> 'action' = ANY(${[...readingActions]})) = ${kind === 'looks'}`]),
  ];
  const statement = prisma.$queryRaw`
    SELECT c.position, e.at, e.content FROM operator_chain c JOIN operator_events e ON e.id = c.event_id
    ${wanted.length === 0 ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join(wanted, ' AND ')}`}
    ORDER BY c.position DESC LIMIT ${limit}`;
  return readRows(entryRow, statement);
}

async function readLinks(prisma: PrismaClient, after: number, limit: number): Promise<Link[]> {
  const statement = prisma.$queryRaw`
    SELECT c.position, c.event_id AS "eventId", c.hash, e.at, e.content
    FROM operator_chain c LEFT JOIN operator_events e ON e.id = c.event_id
    WHERE c.position > ${after} ORDER BY c.position LIMIT ${limit}`;
  const links = await readRows(linkRow, statement);
  const ids = links.map(({ event }) => (event === undefined ? undefined : auditEventIdOf(event.content)));
  const known = ids.filter((id) => id !== undefined).map(BigInt);
  const events = await prisma.auditEvent.findMany({ where: { id: { in: known } } });
  const byId = new Map(events.map((event) => [String(event.id), toStoredEvent(event)]));
  return links.map((link, index) => ({ ...link, auditEvent: byId.get(ids[index] ?? '') }));
}

function toStoredEvent(row: Prisma.AuditEventGetPayload<object>): StoredAuditEvent {
  const { businessId, actorKind, actorId, requestId, action, subjectId } = row;
  return {
    at: row.at.getTime(),
    businessId: Number(businessId),
    actorKind,
    actorId,
    clientIp: row.clientIp ?? undefined,
    requestId,
    action,
    subjectId,
    details: row.details as Json,
  };
}
