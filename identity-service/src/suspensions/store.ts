import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { ChosenCause } from './suspension.ts';

/**
 * Whether a Grant `g` of an application `a` is suspended, and by which side. What the publisher does with its own data
 * does not change: its ban suspends the Grants of other businesses.
 */
export const suspendedColumn = Prisma.sql`
  CASE
    WHEN EXISTS (SELECT 1 FROM application_suspensions s WHERE s.application_id = a.id)
      OR (g.business_id <> a.business_id
          AND EXISTS (SELECT 1 FROM banned_publishers b WHERE b.business_id = a.business_id)) THEN 'application'
    WHEN EXISTS (SELECT 1 FROM grant_suspensions s WHERE s.grant_id = g.id) THEN 'connection'
  END AS suspended`;

/** Value of `suspendedColumn`. */
export const suspendedValue = z
  .enum(['application', 'connection'])
  .nullable()
  .transform((suspended) => suspended ?? undefined);

const causesOfApplication = Prisma.sql`
  SELECT s.cause, s.reason, s.suspended_at FROM application_suspensions s WHERE s.application_id = a.id
  UNION ALL
  SELECT 'ban', '', b.noted_at FROM banned_publishers b WHERE b.business_id = a.business_id`;

/** Every cause for which an application `a` may not act, oldest first. */
export const suspensionsColumn = Prisma.sql`
  (SELECT coalesce(json_agg(json_build_object(
      'cause', c.cause, 'reason', c.reason,
      'suspendedAt', round(extract(epoch FROM c.suspended_at) * 1000)) ORDER BY c.suspended_at, c.cause), '[]')
   FROM (${causesOfApplication}) c) AS suspensions`;

/** Value of `suspensionsColumn`. */
export const suspensionsValue = z.array(
  z.object({
    cause: z.enum(['operator', 'publisher', 'ban']),
    reason: z.string(),
    suspendedAt: z.int(),
  }),
);

const liftedRow = z.object({ reason: z.string() });

/** Suspensions within a transaction of `client`. */
export function suspensionStatements(client: Prisma.TransactionClient) {
  return {
    /** False when it is suspended for this cause already: then the first suspension stays as it is. */
    suspendApplication: async (
      applicationId: string,
      cause: ChosenCause,
      actorId: string,
      reason: string,
    ): Promise<boolean> => {
      const data = { applicationId, cause, actorId, reason };
      return (await client.applicationSuspension.createMany({ data, skipDuplicates: true })).count > 0;
    },
    /** False when there is nothing to lift. */
    resumeApplication: async (applicationId: string, cause: ChosenCause): Promise<boolean> =>
      (await client.applicationSuspension.deleteMany({ where: { applicationId, cause } })).count > 0,
    /** False when it is suspended already: then the first suspension stays as it is. */
    suspendGrant: async (grantId: string, personId: string, reason: string): Promise<boolean> => {
      const data = { grantId, personId, reason };
      return (await client.grantSuspension.createMany({ data, skipDuplicates: true })).count > 0;
    },
    /** The lifted suspension; undefined when there was none. */
    resumeGrant: async (grantId: string): Promise<z.output<typeof liftedRow> | undefined> => {
      const statement = client.$queryRaw`
        DELETE FROM grant_suspensions WHERE grant_id = ${grantId} RETURNING reason`;
      const [lifted] = await readRows(liftedRow, statement);
      return lifted;
    },
    /** Keeps others from noting a ban of this publisher until the transaction ends. */
    lockPublisher: async (businessId: number): Promise<void> => {
      await client.$executeRaw`
        SELECT pg_advisory_xact_lock(hashtextextended('ban of publisher ' || ${businessId}::text, 0))`;
    },
    /** Notes whether a publisher is banned. False when that was known. */
    noteBan: async (businessId: number, isBanned: boolean): Promise<boolean> => {
      const where = { businessId: BigInt(businessId) };
      const { count } = isBanned
        ? await client.bannedPublisher.createMany({ data: where, skipDuplicates: true })
        : await client.bannedPublisher.deleteMany({ where });
      return count > 0;
    },
  };
}

const publisherRow = z.object({ businessId: integer, isNoted: z.boolean() });

/** A business with applications. */
export type Publisher = z.output<typeof publisherRow>;

/** A page of publishers, by id, and whether a ban is noted. @param after id of the last one before */
export function selectPublishers(
  client: Prisma.TransactionClient,
  after: number,
  limit: number,
): Promise<Publisher[]> {
  const statement = client.$queryRaw`
    SELECT p.business_id AS "businessId", b.business_id IS NOT NULL AS "isNoted"
    FROM (SELECT DISTINCT business_id FROM applications WHERE business_id > ${BigInt(after)}
          ORDER BY business_id LIMIT ${limit}) p
    LEFT JOIN banned_publishers b ON b.business_id = p.business_id
    ORDER BY p.business_id`;
  return readRows(publisherRow, statement);
}
