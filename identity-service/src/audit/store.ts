import type { Database } from '@platform/service-kit/database/database.ts';
import { nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent, SharedAuditEvent } from '../platform/actor.ts';
import { type PrismaClient, sqlTimestamp } from '../platform/storage.ts';
import { deletedAccount, type RecordedActor, type RecordedEvent } from './event.ts';
import { leakReport } from './notices/notice.ts';
import { insertNotices } from './notices/store.ts';
import { insertOperatorEvent } from './operator-log/store.ts';

/**
 * Records a change and its notices in the transaction of the change. Changes by operators also go to the log of operators,
 * which alone keeps the client IP of operators in the console.
 */
export async function insertAuditEvent(client: Prisma.TransactionClient, event: AuditEvent): Promise<void> {
  const { actor, businessId, action, subjectId, details, operatorDetails } = event;
  if (actor.kind !== 'operator') {
    await insertEvent(client, event);
    return;
  }
  const auditEvent = await insertEvent(client, shownEvent(event));
  await insertOperatorEvent(client, {
    actor,
    action,
    businessId,
    subjectId,
    details,
    operatorDetails,
    auditEvent,
  });
}

/**
 * Records copies of a change, and their notices, for other businesses that it affects. Uses one statement for all copies
 * and one for all notices. The log of operators has the event once.
 */
export async function insertAuditCopies(
  client: Prisma.TransactionClient,
  event: SharedAuditEvent,
  businessIds: readonly number[],
): Promise<void> {
  if (businessIds.length === 0) return;
  const { actor, action, subjectId, details } = shownEvent(event);
  const stored = JSON.stringify(details);
  await client.$executeRaw`
    INSERT INTO audit_events (business_id, actor_kind, actor_id, client_ip, request_id, action, subject_id, details)
    SELECT id, ${actor.kind}, ${actor.id}, ${actor.clientIp ?? null}, ${actor.requestId}, ${action}, ${subjectId}, ${stored}::jsonb
    FROM unnest(${businessIds}::bigint[]) AS id ORDER BY id`;
  await insertNotices(client, event, businessIds);
}

/** Removes the client IP of operators in the console, which businesses must not see. */
function shownEvent<Event extends SharedAuditEvent>(event: Event): Event {
  const { actor } = event;
  return actor.via === 'console' ? { ...event, actor: { ...actor, clientIp: undefined } } : event;
}

/** Resolves to the id of the event, and its time in milliseconds since 1970. */
async function insertEvent(
  client: Prisma.TransactionClient,
  event: AuditEvent,
): Promise<{ readonly id: string; readonly at: number }> {
  const { actor, businessId, action, subjectId, details } = event;
  const { id, at } = await client.auditEvent.create({
    data: {
      businessId: BigInt(businessId),
      actorKind: actor.kind,
      actorId: actor.id,
      clientIp: actor.clientIp ?? null,
      requestId: actor.requestId,
      action,
      subjectId,
      details,
    },
    select: { id: true, at: true },
  });
  await insertNotices(client, event, [businessId]);
  return { id: String(id), at: at.getTime() };
}

/** Records many changes that a person makes in one act, in one statement. Without notices of each: the act has its own. */
export async function insertAuditEvents(
  client: Prisma.TransactionClient,
  events: readonly AuditEvent[],
): Promise<void> {
  const rows = events.map(({ actor, businessId, action, subjectId, details }) => ({
    business_id: businessId,
    actor_kind: actor.kind,
    actor_id: actor.id,
    client_ip: actor.clientIp ?? null,
    request_id: actor.requestId,
    action,
    subject_id: subjectId,
    details,
  }));
  await client.$executeRaw`
    INSERT INTO audit_events (business_id, actor_kind, actor_id, client_ip, request_id, action, subject_id, details)
    SELECT business_id, actor_kind, actor_id, client_ip, request_id, action, subject_id, details
    FROM jsonb_populate_recordset(NULL::audit_events, ${JSON.stringify(rows)}::jsonb)`;
}

/** Records changes that are made elsewhere, each in a transaction of its own. */
export function createAuditWriter(database: Database, prisma: PrismaClient) {
  return (event: AuditEvent): Promise<void> =>
    database.run(() => prisma.$transaction((client) => insertAuditEvent(client, event)));
}

const actorRow = z.object({
  kind: z.enum(['operator', 'person', 'application', 'system']),
  id: z.string(),
  name: nullable(z.string()),
  email: nullable(z.string()),
}) satisfies z.ZodType<RecordedActor>;

/** Name of the subject in recorded details; after a rename, the new one. */
const recordedName = z.union([z.string(), z.object({ to: z.string() }).transform(({ to }) => to)]);

/** Prefix of the ids of people. */
const personPrefix = 'per_';

const eventRow = z
  .object({
    id: z.bigint(),
    at: timestamp,
    actor_kind: actorRow.shape.kind,
    actor_id: actorRow.shape.id,
    actor_name: actorRow.shape.name,
    actor_email: actorRow.shape.email,
    client_ip: nullable(z.string()),
    request_id: z.string(),
    action: z.string(),
    subject_id: z.string(),
    subject_name: nullable(z.string()),
    subject_exists: z.boolean(),
    subject_is_gone: z.boolean(),
    details: z.record(z.string(), z.unknown()),
  })
  .transform(
    (row): RecordedEvent => ({
      id: String(row.id),
      at: row.at,
      actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, email: row.actor_email },
      clientIp: row.client_ip,
      requestId: row.request_id,
      action: row.action,
      subject: {
        kind: row.action.split('.', 1)[0] ?? '',
        id: row.subject_id,
        name: nameThen(row),
        exists: row.subject_exists,
      },
      details: row.subject_is_gone ? { ...row.details, email: undefined } : row.details,
    }),
  );

/** Name of the subject at the time of the event. Events never hold names of people, which are deleted with the account. */
function nameThen(row: {
  readonly subject_id: string;
  readonly subject_name: string | undefined;
  readonly subject_is_gone: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}): string | undefined {
  if (row.subject_is_gone) return deletedAccount;
  if (row.subject_id.startsWith(personPrefix)) return row.subject_name;
  return recordedName.safeParse(row.details.name).data ?? row.subject_name;
}

/** Which events are wanted. Moments are milliseconds since 1970. */
interface AuditFilter {
  /** One action, as `api_key.created`, or all of a kind, as `api_key.*`. */
  readonly action?: string | undefined;
  readonly actor?: Pick<RecordedActor, 'kind' | 'id'> | undefined;
  /** Itself included. */
  readonly from?: number | undefined;
  /** Itself not included. */
  readonly to?: number | undefined;
}

/** Some events, the newest first. */
interface AuditPage {
  readonly events: readonly RecordedEvent[];
  /** `before` of the page with older ones; undefined when there are none. */
  readonly next: string | undefined;
}

/** Events of one page. */
export const auditPageSize = 50;

/** Events of one export at most. */
export const maxExportedEvents = 10_000;

/** Number of latest events that are searched for actors. */
const actorsAmong = 10_000;

export type AuditReader = ReturnType<typeof createAuditReader>;

/** Reads the audit log of a business from PostgreSQL. What belongs to another business is never in it. */
export function createAuditReader(database: Database, prisma: PrismaClient) {
  return {
    /** @param before id of the event before which the page begins; undefined for the newest */
    page: (
      businessId: number,
      filter: AuditFilter,
      size: number,
      before: string | undefined,
    ): Promise<AuditPage> => database.run(() => readPage(prisma, businessId, filter, size, before)),
    /** Actors of recent events, latest first; at most 100. */
    actors: (businessId: number): Promise<readonly RecordedActor[]> =>
      database.run(() => readActors(prisma, businessId)),
  };
}

/** Whether the audit log of a business has such an event. */
export async function isRecorded(
  audit: Pick<AuditReader, 'page'>,
  businessId: number,
  filter: AuditFilter,
): Promise<boolean> {
  return (await audit.page(businessId, filter, 1, undefined)).events.length > 0;
}

/** Id of an actor as businesses know it: all operators are one. */
const shownActorId = Prisma.sql`(CASE WHEN actor_kind = 'operator' THEN 'operator' ELSE actor_id END)`;

async function readPage(
  prisma: PrismaClient,
  businessId: number,
  filter: AuditFilter,
  size: number,
  before: string | undefined,
): Promise<AuditPage> {
  const statement = prisma.$queryRaw`
    WITH e AS (
      SELECT * FROM audit_events WHERE business_id = ${BigInt(businessId)} ${conditions(filter, before)}
      ORDER BY id DESC LIMIT ${size + 1}
    )
    SELECT e.*, coalesce(actor.name, client.name) AS actor_name, actor.email AS actor_email,
           coalesce(key.name, app.name, person.name) AS subject_name,
           CASE split_part(e.action, '.', 1)
             WHEN 'api_key' THEN key.id IS NOT NULL
             WHEN 'application' THEN app.business_id IS NOT DISTINCT FROM e.business_id
             WHEN 'grant' THEN live.id IS NOT NULL
             WHEN 'person' THEN member.person_id IS NOT NULL
             WHEN 'member' THEN member.person_id IS NOT NULL
             ELSE split_part(e.action, '.', 1) = 'business'
           END AS subject_exists,
           starts_with(e.subject_id, ${personPrefix}) AND person.id IS NULL AS subject_is_gone
    FROM e
    LEFT JOIN people actor ON e.actor_kind = 'person' AND actor.id = e.actor_id
    LEFT JOIN applications client ON e.actor_kind = 'application' AND client.client_id = e.actor_id
    LEFT JOIN api_keys key ON key.id = e.subject_id AND key.business_id = e.business_id
    LEFT JOIN access_tokens token ON token.id = e.subject_id
    LEFT JOIN grants live ON live.id = e.subject_id AND live.business_id = e.business_id AND live.ended_at IS NULL
    LEFT JOIN grants issuer ON issuer.id = token.grant_id
    LEFT JOIN applications app
      ON app.id = coalesce(e.details ->> 'applicationId', issuer.application_id, e.subject_id)
    LEFT JOIN people person ON person.id = e.subject_id
    LEFT JOIN memberships member ON member.person_id = e.subject_id AND member.business_id = e.business_id
    ORDER BY e.id DESC`;
  const found = await readRows(eventRow, statement);
  const events = found.slice(0, size);
  return { events, next: found.length > size ? events.at(-1)?.id : undefined };
}

/** The event of a leak says what became of the key; that act has an event of its own, for a restore. */
const isNoPartOfLeak = Prisma.sql`NOT (actor_id = ${leakReport} AND action IN ('api_key.frozen', 'api_key.deleted'))`;

function conditions({ action, actor, from, to }: AuditFilter, before: string | undefined): Prisma.Sql {
  const wanted = [
    ...(action === undefined || action.endsWith('*') ? [isNoPartOfLeak] : []),
    ...(before === undefined ? [] : [Prisma.sql`id < ${BigInt(before)}`]),
    ...(action === undefined ? [] : [ofAction(action)]),
    ...(actor === undefined
      ? []
      : [Prisma.sql`actor_kind = ${actor.kind} AND ${shownActorId} = ${actor.id}`]),
    ...(from === undefined ? [] : [Prisma.sql`at >= ${sqlTimestamp(from)}`]),
    ...(to === undefined ? [] : [Prisma.sql`at < ${sqlTimestamp(to)}`]),
  ];
  return wanted.length === 0 ? Prisma.empty : Prisma.sql`AND ${Prisma.join(wanted, ' AND ')}`;
}

function ofAction(action: string): Prisma.Sql {
  return action.endsWith('*')
    ? Prisma.sql`starts_with(action, ${action.slice(0, -1)})`
    : Prisma.sql`action = ${action}`;
}

function readActors(prisma: PrismaClient, businessId: number): Promise<RecordedActor[]> {
  const statement = prisma.$queryRaw`
    WITH latest AS (
      SELECT id, actor_kind, actor_id FROM audit_events WHERE business_id = ${BigInt(businessId)}
      ORDER BY id DESC LIMIT ${actorsAmong}
    ), who AS (
      SELECT actor_kind, ${shownActorId} AS actor_id, max(id) AS last FROM latest GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 100
    )
    SELECT who.actor_kind AS kind, who.actor_id AS id, coalesce(person.name, client.name) AS name, person.email
    FROM who
    LEFT JOIN people person ON who.actor_kind = 'person' AND person.id = who.actor_id
    LEFT JOIN applications client ON who.actor_kind = 'application' AND client.client_id = who.actor_id
    ORDER BY who.last DESC`;
  return readRows(actorRow, statement);
}
