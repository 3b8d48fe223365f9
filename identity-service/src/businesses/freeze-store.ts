import type { Database } from '@platform/service-kit/database/database.ts';
import { insertAuditEvent } from '../audit/store.ts';
import type { Prisma } from '../generated/client.ts';
import { raiseGeneration } from '../platform/credential-generations.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { Freeze, FreezeStore, FreezeTransaction } from './freeze.ts';

interface FreezeRow {
  readonly business_id: bigint;
  readonly frozen_at: Date;
  readonly person_id: string;
  readonly reason: string;
}

/** Freezes in PostgreSQL. */
export function createFreezeStore(database: Database, prisma: PrismaClient): FreezeStore {
  return {
    find: (businessId) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<FreezeRow[]>`
          SELECT business_id, frozen_at, person_id, reason FROM business_freezes
          WHERE business_id = ${BigInt(businessId)}`;
        return row && toFreeze(row);
      }),
    frozenAmong: (businessIds) =>
      database.run(async () => {
        const frozen = await prisma.businessFreeze.findMany({
          where: { businessId: { in: businessIds.map(BigInt) } },
          select: { businessId: true },
        });
        return new Set(frozen.map(({ businessId }) => Number(businessId)));
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createFreezeTransaction(client)))),
  };
}

function createFreezeTransaction(client: Prisma.TransactionClient): FreezeTransaction {
  return {
    freeze: async (businessId, personId, reason) => {
      const added = await client.$executeRaw`
        INSERT INTO business_freezes (business_id, person_id, reason)
        VALUES (${BigInt(businessId)}, ${personId}, ${reason}) ON CONFLICT DO NOTHING`;
      return added > 0;
    },
    lift: async (businessId) => {
      const [row] = await client.$queryRaw<FreezeRow[]>`
        DELETE FROM business_freezes WHERE business_id = ${BigInt(businessId)}
        RETURNING business_id, frozen_at, person_id, reason`;
      return row && toFreeze(row);
    },
    raiseGeneration: (businessId) => raiseGeneration(client, businessId),
    audit: (event) => insertAuditEvent(client, event),
  };
}

function toFreeze(row: FreezeRow): Freeze {
  return {
    businessId: Number(row.business_id),
    frozenAt: row.frozen_at.getTime(),
    personId: row.person_id,
    reason: row.reason,
  };
}
