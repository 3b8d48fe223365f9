import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma, type PrismaClient } from '../../generated/client.ts';
import type { ChosenCause } from './suspension.ts';

/**
 * Whether a Grant `g` of an application `a` is suspended, and by which side. A ban of the publisher suspends the Grants of
 * other businesses only, not the publisher's access to its own data.
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

/** Every cause for which an application `a` is suspended, oldest first. */
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

/** Number of the advisory lock for recording the ban of a publisher. */
const publisherLock = (businessId: Prisma.Sql) =>
  Prisma.sql`hashtextextended('ban of publisher ' || ${businessId}::text, 0)`;

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
      await client.$executeRaw`SELECT pg_advisory_xact_lock(${publisherLock(Prisma.sql`${businessId}`)})`;
    },
    /** Records whether a publisher is banned. False if that was already recorded. */
    noteBan: async (businessId: number, isBanned: boolean): Promise<boolean> => {
      const where = { businessId: BigInt(businessId) };
      const { count } = isBanned
        ? await client.bannedPublisher.createMany({ data: where, skipDuplicates: true })
        : await client.bannedPublisher.deleteMany({ where });
      return count > 0;
    },
  };
}

/** The one row of `ban_cursors`. */
const cursorId = 1;

/** Position in the bans of business-service up to which they are noted; 0 before the first. */
export async function readBanCursor(client: Prisma.TransactionClient): Promise<number> {
  const row = await client.banCursor.findUnique({ where: { id: cursorId } });
  return Number(row?.sequence ?? 0);
}

/** Moves the cursor, unless another replica has moved it since it was read. */
export async function moveBanCursor(
  client: Prisma.TransactionClient,
  from: number,
  to: number,
): Promise<void> {
  await client.banCursor.createMany({ data: { id: cursorId, sequence: 0n }, skipDuplicates: true });
  const where = { id: cursorId, sequence: BigInt(from) };
  await client.banCursor.updateMany({ where, data: { sequence: BigInt(to) } });
}

/** A page of the businesses whose ban is noted, by id. @param after id of the last one before */
export async function selectNotedAfter(
  client: Prisma.TransactionClient,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await client.bannedPublisher.findMany({
    where: { businessId: { gt: after } },
    orderBy: { businessId: 'asc' },
    take: limit,
  });
  return rows.map(({ businessId }) => Number(businessId));
}

/** Those of these businesses whose ban is recorded. Waits for transactions that hold `lockPublisher` of one of them. */
export async function selectNotedBans(
  prisma: PrismaClient,
  businessIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const where = { businessId: { in: businessIds.map(BigInt) } };
  const [, rows] = await prisma.$transaction([
    prisma.$executeRaw`
      SELECT pg_advisory_xact_lock_shared(${publisherLock(Prisma.sql`id`)}) FROM unnest(${businessIds}::bigint[]) id`,
    prisma.bannedPublisher.findMany({ where, select: { businessId: true } }),
  ]);
  return new Set(rows.map(({ businessId }) => Number(businessId)));
}
