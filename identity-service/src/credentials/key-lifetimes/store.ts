import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../../audit/store.ts';
import { Prisma } from '../../generated/client.ts';
import { lockActingRole } from '../../platform/acting-role.ts';
import type { Actor, AuditEvent } from '../../platform/actor.ts';
import type { Role } from '../../platform/role.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { graceMs, type KeyLifetime } from './lifetime.ts';

/** Rule of a business; undefined where its owners require no end. */
export async function readKeyLifetime(
  client: Prisma.TransactionClient,
  businessId: number,
): Promise<KeyLifetime | undefined> {
  const row = await client.keyLifetimeRule.findUnique({ where: { businessId: BigInt(businessId) } });
  return row === null ? undefined : { maxDays: row.maxDays ?? undefined };
}

const countRow = z.object({ keys: z.int() });

/** Active keys of a business that a rule would refuse if they were new. */
async function countUnmet(
  client: PrismaClient,
  businessId: number,
  { maxDays }: KeyLifetime,
): Promise<number> {
  const lasts =
    maxDays === undefined
      ? Prisma.sql`false`
      : Prisma.sql`expires_at > created_at + make_interval(hours => ${24 * maxDays}::int, secs => ${graceMs / 1000}::float8)`;
  const statement = client.$queryRaw`
    SELECT count(*)::int AS keys FROM api_keys
    WHERE business_id = ${BigInt(businessId)}
      AND (expires_at IS NULL OR (expires_at > clock_timestamp() AND ${lasts}))`;
  const [row] = await readRows(countRow, statement);
  return row?.keys ?? 0;
}

function createKeyLifetimeTransaction(client: Prisma.TransactionClient) {
  return {
    /** As `lockActingRole`. */
    lockRole: (actor: Actor, businessId: number): Promise<Role | undefined> =>
      lockActingRole(client, actor, businessId),
    /** The rule, locked against other changes until the transaction ends, even if there is none yet. */
    lock: async (businessId: number): Promise<KeyLifetime | undefined> => {
      await client.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`key lifetime:${businessId}`}, 0))`;
      return readKeyLifetime(client, businessId);
    },
    /** Replaces the rule that this transaction has locked. */
    set: async (businessId: number, lifetime: KeyLifetime | undefined): Promise<void> => {
      const where = { businessId: BigInt(businessId) };
      await client.keyLifetimeRule.deleteMany({ where });
      if (lifetime === undefined) return;
      await client.keyLifetimeRule.create({ data: { ...where, maxDays: lifetime.maxDays ?? null } });
    },
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
  };
}

export type KeyLifetimeStore = ReturnType<typeof createKeyLifetimeStore>;

/** Keeps in PostgreSQL how long API keys may last. */
export function createKeyLifetimeStore(database: Database, prisma: PrismaClient) {
  return {
    find: (businessId: number): Promise<KeyLifetime | undefined> =>
      database.run(() => readKeyLifetime(prisma, businessId)),
    /** Number of active keys that a rule would refuse if they were new. */
    countUnmet: (businessId: number, lifetime: KeyLifetime): Promise<number> =>
      database.run(() => countUnmet(prisma, businessId, lifetime)),
    inTransaction: transactionsOf(database, prisma, createKeyLifetimeTransaction),
  };
}
