import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import type { PrismaClient } from '../../platform/storage.ts';
import { type ChosenTopic, chosenTopics, type EmailChoice } from './notice.ts';

/** When a person gets the emails of each topic that has a choice. */
export type EmailChoices = Readonly<Record<ChosenTopic, EmailChoice>>;

/** Hours from the first notice that waits for a digest to its email. */
const digestHours = 24;

/** The same as an interval. */
export const digestAge = Prisma.sql`make_interval(hours => ${digestHours})`;

/** People whose digests are gathered in one round. */
const batchSize = 100;

/** Whether a notice `n` of a person `p` belongs in a digest and is not yet in one. */
export const awaitsDigest = Prisma.sql`(n.mail_tries = 0 AND n.digest_id IS NULL AND n.topic = ANY(p.daily_topics))`;

/**
 * Delays notices that belong in a digest until a day after the first of them. Then the first one becomes the digest: its
 * email is due and lists all of them, and the others get no email of their own.
 */
export async function gatherDigests(prisma: PrismaClient): Promise<void> {
  // Most rounds find none: without a transaction.
  const statement = prisma.$queryRaw`SELECT EXISTS (${dueToGather}) AS due`;
  const [found] = await readRows(z.object({ due: z.boolean() }), statement);
  if (found?.due !== true) return;
  await prisma.$transaction(async (client) => {
    const people = await lockPeople(client);
    if (people.length === 0) return;
    await client.$executeRaw`
      WITH waiting AS (
        SELECT n.id, n.person_id, n.created_at FROM notices n JOIN people p ON p.id = n.person_id
        WHERE p.id = ANY(${people}::text[]) AND n.mail_due_at IS NOT NULL AND ${awaitsDigest}
        FOR UPDATE OF n SKIP LOCKED
      ), digest AS (
        SELECT person_id, (array_agg(id ORDER BY created_at, id))[1] AS id, min(created_at) + ${digestAge} AS due_at
        FROM waiting GROUP BY person_id
      )
      UPDATE notices n SET
        digest_id = CASE WHEN digest.due_at <= now() THEN digest.id END,
        mail_due_at = CASE WHEN digest.due_at > now() OR n.id = digest.id THEN digest.due_at END
      FROM waiting JOIN digest USING (person_id) WHERE n.id = waiting.id`;
  });
}

/** People with such a notice that is due. */
const dueToGather = Prisma.sql`
  SELECT n.person_id FROM notices n JOIN people p ON p.id = n.person_id
  WHERE n.mail_due_at <= now() AND ${awaitsDigest}`;

/** Locks some of these people, so that one replica at a time gathers the notices of a person. */
async function lockPeople(client: Prisma.TransactionClient): Promise<string[]> {
  const statement = client.$queryRaw`
    SELECT id FROM people WHERE id IN (${dueToGather} LIMIT ${batchSize}) FOR NO KEY UPDATE SKIP LOCKED`;
  return (await readRows(z.object({ id: z.string() }), statement)).map(({ id }) => id);
}

type StoredChoices = Readonly<Record<'quietTopics' | 'dailyTopics', readonly string[]>>;

function choicesOf({ quietTopics, dailyTopics }: StoredChoices): EmailChoices {
  const choiceOf = (topic: ChosenTopic): EmailChoice => {
    if (quietTopics.includes(topic)) return 'off';
    return dailyTopics.includes(topic) ? 'daily' : 'at_once';
  };
  return Object.fromEntries(chosenTopics.map((topic) => [topic, choiceOf(topic)])) as EmailChoices;
}

const select = { quietTopics: true, dailyTopics: true } as const;

/** Choices of a person. */
export async function readChoices(client: Prisma.TransactionClient, id: string): Promise<EmailChoices> {
  const stored = await client.person.findUnique({ where: { id }, select });
  return choicesOf(stored ?? { quietTopics: [], dailyTopics: [] });
}

/** Changes some choices of a person. Notices that wait for a digest become due again and follow the new choices. */
export function changeChoices(
  prisma: PrismaClient,
  personId: string,
  changed: Partial<EmailChoices>,
): Promise<EmailChoices> {
  return prisma.$transaction(async (client) => {
    // Two changes of one person come one after the other.
    await client.$queryRaw`SELECT 1 FROM people WHERE id = ${personId} FOR NO KEY UPDATE`;
    const choices = { ...(await readChoices(client, personId)), ...changed };
    const topicsAs = (choice: EmailChoice) => chosenTopics.filter((topic) => choices[topic] === choice);
    const data = { quietTopics: topicsAs('off'), dailyTopics: topicsAs('daily') };
    await client.person.updateMany({ where: { id: personId }, data });
    await client.$executeRaw`
      UPDATE notices SET mail_due_at = clock_timestamp()
      WHERE person_id = ${personId} AND mail_due_at IS NOT NULL AND mail_tries = 0 AND digest_id IS NULL`;
    return choices;
  });
}
