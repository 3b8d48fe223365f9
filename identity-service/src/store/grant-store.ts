import type { Database } from '@platform/service-kit/database.ts';
import type { GrantStore } from '../grants/grant-store.ts';
import { type GrantRow, grantColumns, toGrant } from './grant-row.ts';
import { createGrantTransaction } from './grant-transaction.ts';
import type { PrismaClient } from './prisma.ts';

/** Grants in PostgreSQL. */
export function createGrantStore(database: Database, prisma: PrismaClient): GrantStore {
  return {
    list: (businessId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<GrantRow[]>`
          SELECT ${grantColumns} FROM grants g JOIN applications a ON a.id = g.application_id
          WHERE g.business_id = ${BigInt(businessId)} AND g.ended_at IS NULL
          ORDER BY g.created_at DESC, g.id`;
        return rows.map(toGrant);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createGrantTransaction(client)))),
  };
}
