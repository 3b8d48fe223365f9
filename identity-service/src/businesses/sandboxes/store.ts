import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../../audit/store.ts';
import { Prisma } from '../../generated/client.ts';
import { createTeamTransaction } from '../../people/team/store.ts';
import type { Actor } from '../../platform/actor.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';

const sandboxRow = z.object({
  /** Invented orders that are still to come, one a minute. */
  ordersDue: z.int(),
  /** When it ends unless a call comes, in milliseconds since 1970; undefined while that is not announced. */
  endsAt: nullable(timestamp),
});

export type Sandbox = z.output<typeof sandboxRow>;

const belongingsRow = z.object({
  apiKeyIds: z.array(z.string()),
  applicationIds: z.array(z.string()),
  grantIds: z.array(z.string()),
});

/** Credentials and connections of a sandbox, by identifier. */
export type Belongings = z.output<typeof belongingsRow>;

const businessRow = z.object({ businessId: integer }).transform(({ businessId }) => businessId);

/** Days without a call after which owners hear of the end. */
const idleDays = 76;

/** Days from then to the end. */
const warnedDays = 14;

/** Sandboxes of one round. */
const batchSize = 20;

/** The last call to a sandbox `s`, to the hour, or its creation. Hours are kept for longer than a sandbox is. */
const lastUse = Prisma.sql`
  greatest(s.created_at, (SELECT max(u.hour) FROM usage_hours u WHERE u.business_id = s.business_id))`;

/** Whether a call came since the owners were informed. */
const isUsedSince = Prisma.sql`${lastUse} >= date_trunc('hour', s.warned_at)`;

export type SandboxStore = ReturnType<typeof createSandboxStore>;

/** Keeps sandboxes in PostgreSQL. The row of one that has ended stays: its business is never taken for a real one. */
export function createSandboxStore(database: Database, prisma: PrismaClient) {
  const inTransaction = transactionsOf(database, prisma, createSandboxTransaction);
  const businessIds = (statement: Prisma.Sql): Promise<number[]> =>
    database.run(() => readRows(businessRow, prisma.$queryRaw(statement)));
  return {
    /** How many sandboxes a person has made, and has now. */
    countOf: (personId: string): Promise<SandboxCount> =>
      database.run(() => countSandboxes(prisma, personId)),
    find: (businessId: number): Promise<Sandbox | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT orders_due AS "ordersDue", warned_at + make_interval(days => ${warnedDays}) AS "endsAt"
          FROM sandboxes WHERE business_id = ${BigInt(businessId)} AND ended_at IS NULL`;
        const [sandbox] = await readRows(sandboxRow, statement);
        return sandbox;
      }),
    /** Sets how many orders are to come; the first one is due at once. */
    setOrdersDue: (businessId: number, count: number): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE sandboxes SET orders_due = ${count}, next_order_at = clock_timestamp()
          WHERE business_id = ${BigInt(businessId)} AND ended_at IS NULL`;
      }),
    /** Takes one order of each sandbox that has one due. */
    takeDueOrders: (): Promise<number[]> =>
      businessIds(Prisma.sql`
        UPDATE sandboxes SET orders_due = orders_due - 1, next_order_at = clock_timestamp() + interval '1 minute'
        WHERE business_id IN (
          SELECT business_id FROM sandboxes
          WHERE orders_due > 0 AND next_order_at <= clock_timestamp() AND ended_at IS NULL
          LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
        RETURNING business_id AS "businessId"`),
    belongings: (businessId: number): Promise<Belongings> =>
      database.run(async () => {
        const id = BigInt(businessId);
        const statement = prisma.$queryRaw`
          SELECT ARRAY(SELECT id FROM api_keys WHERE business_id = ${id}) AS "apiKeyIds",
                 ARRAY(SELECT id FROM applications WHERE business_id = ${id}) AS "applicationIds",
                 ARRAY(SELECT id FROM grants WHERE business_id = ${id} AND ended_at IS NULL) AS "grantIds"`;
        const [belongings] = await readRows(belongingsRow, statement);
        return belongings ?? { apiKeyIds: [], applicationIds: [], grantIds: [] };
      }),
    /** Informs the owners of sandboxes without calls when they end; takes it back where a call came since. */
    announceEnds: (actor: Actor): Promise<void> =>
      inTransaction(async ({ forgetWarnings, warnIdle, audit }) => {
        await forgetWarnings();
        for (const businessId of await warnIdle()) {
          await audit({
            actor,
            businessId,
            action: 'business.ending',
            subjectId: String(businessId),
            details: {},
          });
        }
      }),
    /** Sandboxes that end now. */
    due: (): Promise<number[]> =>
      businessIds(Prisma.sql`
        SELECT s.business_id AS "businessId" FROM sandboxes s
        WHERE s.ended_at IS NULL AND s.warned_at < now() - make_interval(days => ${warnedDays}) AND NOT ${isUsedSince}
        LIMIT ${batchSize}`),
    /** Sandboxes that have ended, and from which requests that were in progress then may have left something. */
    toClear: (): Promise<number[]> =>
      businessIds(Prisma.sql`
        SELECT business_id AS "businessId" FROM sandboxes
        WHERE cleared_at IS NULL AND ended_at < now() - interval '1 minute' LIMIT ${batchSize}`),
    setCleared: (businessId: number): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE sandboxes SET cleared_at = clock_timestamp() WHERE business_id = ${BigInt(businessId)}`;
      }),
    inTransaction,
  };
}

const countRow = z.object({ made: integer, present: integer });

export type SandboxCount = z.output<typeof countRow>;

/** Counts the sandboxes that a person has made; those that have ended, or that the person has left, are not present. */
export async function countSandboxes(
  client: Prisma.TransactionClient,
  personId: string,
): Promise<SandboxCount> {
  const statement = client.$queryRaw`
    SELECT count(*) AS made, count(m.business_id) FILTER (WHERE s.ended_at IS NULL) AS present
    FROM sandboxes s LEFT JOIN memberships m ON m.business_id = s.business_id AND m.person_id = s.person_id
    WHERE s.person_id = ${personId}`;
  const [count] = await readRows(countRow, statement);
  return count ?? { made: 0, present: 0 };
}

/** Statements of one transaction. */
function createSandboxTransaction(client: Prisma.TransactionClient) {
  const audit = (event: Parameters<typeof insertAuditEvent>[1]) => insertAuditEvent(client, event);
  return {
    audit,
    team: createTeamTransaction(client),
    forgetWarnings: () => client.$executeRaw`
      UPDATE sandboxes s SET warned_at = NULL WHERE s.ended_at IS NULL AND s.warned_at IS NOT NULL AND ${isUsedSince}`,
    warnIdle: (): Promise<number[]> =>
      readRows(
        businessRow,
        client.$queryRaw`
          UPDATE sandboxes SET warned_at = clock_timestamp() WHERE business_id IN (
            SELECT s.business_id FROM sandboxes s
            WHERE s.ended_at IS NULL AND s.warned_at IS NULL AND ${lastUse} < now() - make_interval(days => ${idleDays})
            LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
          RETURNING business_id AS "businessId"`,
      ),
    /** Marks it as ended. False where another process has. Call it after `team.lockMembers`. */
    end: async (businessId: number): Promise<boolean> => {
      const ended = await client.$executeRaw`
        UPDATE sandboxes SET ended_at = clock_timestamp(), orders_due = 0
        WHERE business_id = ${BigInt(businessId)} AND ended_at IS NULL`;
      return ended === 1;
    },
    removeTeam: async (businessId: number): Promise<void> => {
      const where = { businessId: BigInt(businessId) };
      await client.membership.deleteMany({ where });
      await client.invitation.deleteMany({ where });
    },
  };
}
