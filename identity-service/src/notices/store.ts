import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import type { Page } from '../platform/pagination.ts';
import { afterCursor, type PrismaClient } from '../platform/storage.ts';
import { insertExpiryNotices, insertLimitNotices, newId } from './key-notices-store.ts';
import { isTopic, type Notice, quietableTopics, ruleOf, type Topic } from './notice.ts';

/**
 * Records the notices of an event in the transaction of the change, if people get any of it: one per person, however often the
 * event is recorded. One of the account itself is mailed to the address that the person has now: an attacker who logs in, then
 * changes the address, would get the email about the login.
 */
export async function insertNotices(client: Prisma.TransactionClient, event: AuditEvent): Promise<void> {
  const rule = ruleOf(event);
  if (rule === undefined) return;
  const { actor, businessId, action, subjectId } = event;
  const details = { ...event.details, ...event.noticeDetails };
  const isOfBusiness = rule.to === 'owners';
  const people = isOfBusiness
    ? Prisma.sql`SELECT person_id AS id, NULL::text AS email FROM memberships WHERE business_id = ${BigInt(businessId)} AND role = 'owner'`
    : Prisma.sql`SELECT id, email FROM people WHERE id = ${subjectId}`;
  const about = isOfBusiness ? BigInt(businessId) : null;
  // An act of a person is recorded under each business, and is one notice.
  const subject = [action, isOfBusiness ? businessId : '', subjectId].join(':');
  const occasion = rule.oncePerHour
    ? Prisma.sql`date_trunc('hour', clock_timestamp(), 'UTC')::text`
    : Prisma.sql`${actor.requestId}`;
  await client.$executeRaw`
    INSERT INTO notices
      (id, person_id, key, topic, action, business_id, subject_id, actor_kind, actor_id, client_ip, details, recipient)
    SELECT ${newId}, p.id, concat_ws(':', ${subject}::text, ${occasion}::text), ${rule.topic}, ${action}, ${about},
           ${subjectId}, ${actor.kind}, ${actor.id}, ${actor.clientIp ?? null}, ${JSON.stringify(details)}::jsonb,
           coalesce(${rule.recipient ?? null}, p.email)
    FROM (${people}) AS p ORDER BY p.id
    ON CONFLICT (person_id, key) DO NOTHING`;
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
  details: z.record(z.string(), z.unknown()),
  isRead: z.boolean(),
}) satisfies z.ZodType<Notice>;

/** Columns of `noticeRow`, of `notices n`. */
const noticeColumns = Prisma.sql`
  n.id, n.created_at AS at, n.topic, n.action, n.business_id AS "businessId", n.subject_id AS "subjectId",
  n.actor_kind AS "actorKind", n.client_ip AS "clientIp", n.details, n.read_at IS NOT NULL AS "isRead",
  (SELECT a.name FROM people a WHERE a.id = n.actor_id AND n.actor_kind = 'person') AS "actorName"`;

/** Those of a business are for its members only, also when they leave later. */
const mayRead = Prisma.sql`(n.business_id IS NULL OR EXISTS (
  SELECT 1 FROM memberships m WHERE m.person_id = n.person_id AND m.business_id = n.business_id))`;

const dueRow = noticeRow.extend({ email: z.string(), isWanted: z.boolean(), isLate: z.boolean() });

/** A notice whose email this process may send now. */
export type DueNotice = z.output<typeof dueRow>;

/** Emails of one round. */
const batchSize = 20;

/** Hours for which it is tried to send an email. */
const tryHours = 24;

/** Takes notices whose email is due, oldest first. What is not settled then is due again after a minute, later after up to an hour. */
function takeDue(prisma: PrismaClient): Promise<DueNotice[]> {
  const statement = prisma.$queryRaw`
    WITH due AS (
      UPDATE notices n SET mail_tries = n.mail_tries + 1,
        mail_due_at = clock_timestamp() + least(make_interval(mins => 60), make_interval(secs => 55) * 2 ^ least(n.mail_tries, 6))
      FROM people p
      WHERE p.id = n.person_id AND n.id IN (
        SELECT id FROM notices WHERE mail_due_at <= clock_timestamp() ORDER BY mail_due_at LIMIT ${batchSize}
        FOR UPDATE SKIP LOCKED)
      RETURNING ${noticeColumns}, coalesce(n.recipient, p.email) AS email,
        NOT (n.topic = ANY(p.quiet_topics)) AND ${mayRead} AS "isWanted",
        n.created_at < clock_timestamp() - make_interval(hours => ${tryHours}) AS "isLate")
    SELECT * FROM due ORDER BY at, id`;
  return readRows(dueRow, statement);
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
    takeDue: (): Promise<DueNotice[]> => database.run(() => takeDue(prisma)),
    /** Ends the attempts to send an email. @param isSent false when it was given up, or is not wanted */
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
    /** Topics that a person does not want by email. */
    quietTopics: (personId: string): Promise<Topic[]> =>
      database.run(async () => {
        const row = await prisma.person.findUnique({
          where: { id: personId },
          select: { quietTopics: true },
        });
        return quietableTopics.filter((topic) => row?.quietTopics.includes(topic));
      }),
    setQuietTopics: (personId: string, topics: readonly Topic[]): Promise<void> =>
      database.run(async () => {
        await prisma.person.updateMany({ where: { id: personId }, data: { quietTopics: [...topics] } });
      }),
  };
}
