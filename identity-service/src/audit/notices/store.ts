import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import type { SharedAuditEvent } from '../../platform/actor.ts';
import type { Page } from '../../platform/pagination.ts';
import { afterCursor, type PrismaClient } from '../../platform/storage.ts';
import {
  awaitsDigest,
  changeChoices,
  digestAge,
  type EmailChoices,
  gatherDigests,
  readChoices,
} from './digests-store.ts';
import { insertExpiryNotices, insertLimitNotices, newId } from './key-notices-store.ts';
import { isTopic, type Notice, ruleOf, type Topic } from './notice.ts';

/**
 * Records the notices of an event, if it causes any, in the transaction of the change. Each person gets one per business,
 * even if the event is recorded repeatedly. Notices of the account are mailed to the address at the time of the event:
 * otherwise an attacker who logs in and then changes the address would get the email about the login.
 */
export async function insertNotices(
  client: Prisma.TransactionClient,
  event: SharedAuditEvent,
  businessIds: readonly number[],
): Promise<void> {
  const rule = ruleOf(event);
  if (rule === undefined) return;
  const { actor, action, subjectId } = event;
  const details = { ...event.details, ...event.noticeDetails };
  const isOfBusiness = rule.to !== 'subject';
  const member = Prisma.sql`SELECT id, NULL::text AS email FROM people WHERE id = ${subjectId}`;
  const owners = Prisma.sql`SELECT person_id AS id, NULL::text AS email FROM memberships
    WHERE business_id = b.id AND role = 'owner' AND person_id <> ${subjectId}`;
  const people = {
    subject: Prisma.sql`SELECT id, email FROM people WHERE id = ${subjectId}`,
    member,
    owners,
    'member and owners': Prisma.sql`${member} UNION ALL ${owners}`,
  }[rule.to];
  // An act of a person is recorded under each of their businesses, but causes one notice.
  const about = isOfBusiness ? Prisma.sql`b.id` : Prisma.sql`NULL::bigint`;
  const occasion = rule.oncePerHour
    ? Prisma.sql`date_trunc('hour', clock_timestamp(), 'UTC')::text`
    : Prisma.sql`${occasionOf(event)}`;
  await client.$executeRaw`
    INSERT INTO notices
      (id, person_id, key, topic, action, business_id, subject_id, actor_kind, actor_id, client_ip, details, recipient, mail_due_at)
    SELECT ${newId}, p.id, concat_ws(':', ${action}::text, coalesce(${about}::text, ''), ${subjectId}::text, ${occasion}::text),
           ${rule.topic}, ${action}, ${about}, ${subjectId}, ${actor.kind}, ${actor.id}, ${actor.clientIp ?? null}, ${JSON.stringify(details)}::jsonb,
           coalesce(${rule.recipient ?? null}, p.email), CASE WHEN p.id = ${event.emailed ?? null} THEN NULL ELSE clock_timestamp() END
    FROM unnest(${businessIds}::bigint[]) AS b (id) CROSS JOIN LATERAL (${people}) AS p ORDER BY b.id, p.id
    ON CONFLICT (person_id, key) DO NOTHING`;
}

/** Distinguishes acts of one request on several things, such as passkeys. */
function occasionOf({ actor: { requestId }, details: { id } }: SharedAuditEvent): string {
  return typeof id === 'string' ? `${requestId}:${id}` : requestId;
}

const noticeRow = z.object({
  id: z.string(),
  at: timestamp,
  topic: z.string().transform((topic): Topic => (isTopic(topic) ? topic : 'security')),
  action: z.string(),
  businessId: nullable(integer),
  subjectId: z.string(),
  actorKind: z.enum(['operator', 'person', 'application', 'system']),
  actorName: nullable(z.string()),
  clientIp: nullable(z.string()),
  subjectName: nullable(z.string()),
  isAboutReader: z.boolean(),
  isBySubject: z.boolean(),
  details: z.record(z.string(), z.unknown()),
  isRead: z.boolean(),
}) satisfies z.ZodType<Notice>;

/** Columns of `noticeRow`, of `notices n`. */
const noticeColumns = Prisma.sql`
  n.id, n.created_at AS at, n.topic, n.action, n.business_id AS "businessId", n.subject_id AS "subjectId",
  n.actor_kind AS "actorKind", n.client_ip AS "clientIp", n.details, n.read_at IS NOT NULL AS "isRead",
  n.subject_id = n.person_id AS "isAboutReader", n.actor_id = n.subject_id AS "isBySubject",
  (SELECT s.name FROM people s WHERE s.id = n.subject_id) AS "subjectName",
  (SELECT a.name FROM people a WHERE a.id = n.actor_id AND n.actor_kind = 'person') AS "actorName"`;

/** Notices of a business are for current members only, except that the person was removed, and that a sandbox has ended. */
const mayRead = Prisma.sql`(n.business_id IS NULL OR n.action = 'business.ended' OR (n.action = 'member.removed' AND n.subject_id = n.person_id) OR EXISTS (
  SELECT 1 FROM memberships m WHERE m.person_id = n.person_id AND m.business_id = n.business_id))`;

/** Whether the person `p` of a notice `n` wants its email. */
const isWanted = Prisma.sql`(NOT (n.topic = ANY(p.quiet_topics)) AND ${mayRead})`;

const dueRow = noticeRow.extend({
  email: z.string(),
  isWanted: z.boolean(),
  isLate: z.boolean(),
  isDigest: z.boolean(),
});

/** A notice whose email this process may send now. */
export type DueNotice = z.output<typeof dueRow>;

/** Hours after its due time for which the service tries to send an email. */
const tryHours = 24;

/**
 * Takes the notice whose email has been due longest; undefined when none is due. Until it is settled it becomes due again,
 * after a minute at first and up to an hour later. Take one at a time, right before sending it: others would become due
 * again in the meantime. The due time is compared with now(), because clock_timestamp() cannot use the index.
 */
async function takeDue(prisma: PrismaClient): Promise<DueNotice | undefined> {
  const statement = prisma.$queryRaw`
    UPDATE notices n SET mail_tries = n.mail_tries + 1,
      mail_due_at = clock_timestamp() + least(make_interval(mins => 60), make_interval(secs => 55) * 2 ^ least(n.mail_tries, 6))
    FROM people p
    WHERE p.id = n.person_id AND n.id = (
      SELECT n.id FROM notices n JOIN people p ON p.id = n.person_id
      WHERE n.mail_due_at <= now() AND NOT ${awaitsDigest} ORDER BY n.mail_due_at LIMIT 1
      FOR UPDATE OF n SKIP LOCKED)
    RETURNING ${noticeColumns}, coalesce(n.recipient, p.email) AS email, ${isWanted} AS "isWanted",
      n.digest_id IS NOT NULL AS "isDigest", n.created_at + CASE WHEN n.digest_id IS NULL THEN interval '0' ELSE ${digestAge} END
        < clock_timestamp() - make_interval(hours => ${tryHours}) AS "isLate"`;
  const [due] = await readRows(dueRow, statement);
  return due;
}

/** Notices of a digest that the person wants, oldest first. @param limit maximum number */
function readDigest(prisma: PrismaClient, digestId: string, limit: number): Promise<Notice[]> {
  const statement = prisma.$queryRaw`
    SELECT ${noticeColumns} FROM notices n JOIN people p ON p.id = n.person_id
    WHERE n.person_id = (SELECT person_id FROM notices WHERE id = ${digestId}) AND n.digest_id = ${digestId} AND ${isWanted}
    ORDER BY n.created_at, n.id LIMIT ${limit}`;
  return readRows(noticeRow, statement);
}

export type NoticeStore = ReturnType<typeof createNoticeStore>;

/** Keeps notices in PostgreSQL. */
export function createNoticeStore(database: Database, prisma: PrismaClient) {
  return {
    /** Records notices of keys that expire soon, or that come near their limit. */
    insertKeyNotices: (): Promise<void> =>
      database.run(async () => {
        await insertExpiryNotices(prisma);
        await insertLimitNotices(prisma);
      }),
    takeDue: (): Promise<DueNotice | undefined> => database.run(() => takeDue(prisma)),
    gatherDigests: (): Promise<void> => database.run(() => gatherDigests(prisma)),
    readDigest: (digestId: string, limit: number): Promise<Notice[]> =>
      database.run(() => readDigest(prisma, digestId, limit)),
    /** Ends the attempts to send an email, which is a digest's where the notice has others. @param isSent false when it was given up, or is not wanted */
    settle: (id: string, isSent: boolean): Promise<void> =>
      database.run(async () => {
        const mailedAt = isSent ? Prisma.sql`clock_timestamp()` : Prisma.sql`NULL`;
        await prisma.$executeRaw`UPDATE notices SET mail_due_at = NULL, mailed_at = ${mailedAt}, recipient = NULL WHERE id = ${id}`;
      }),
    /** A page of a person's notices, newest first. */
    list: (personId: string, { limit, after }: Page): Promise<Notice[]> =>
      database.run(() => {
        const cursor =
          after === undefined ? Prisma.empty : afterCursor(after, Prisma.sql`n.created_at`, Prisma.sql`n.id`);
        const statement = prisma.$queryRaw`
          SELECT ${noticeColumns} FROM notices n WHERE n.person_id = ${personId} AND ${mayRead} ${cursor}
          ORDER BY n.created_at DESC, n.id LIMIT ${limit}`;
        return readRows(noticeRow, statement);
      }),
    countUnread: (personId: string): Promise<number> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT count(*)::int AS count FROM notices n
          WHERE n.person_id = ${personId} AND n.read_at IS NULL AND ${mayRead}`;
        const [row] = await readRows(z.object({ count: z.int() }), statement);
        return row?.count ?? 0;
      }),
    markAllRead: (personId: string): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE notices SET read_at = clock_timestamp() WHERE person_id = ${personId} AND read_at IS NULL`;
      }),
    choices: (personId: string): Promise<EmailChoices> => database.run(() => readChoices(prisma, personId)),
    changeChoices: (personId: string, changed: Partial<EmailChoices>): Promise<EmailChoices> =>
      database.run(() => changeChoices(prisma, personId, changed)),
  };
}
