import type { Database } from '@platform/service-kit/database.ts';
import { Prisma } from '../generated/client.ts';
import type { AuthorizationStore } from '../oauth/authorization/authorization-store.ts';
import { type ApplicationRow, applicationColumns, toApplication } from './application-row.ts';
import { createAuthorizationTransaction } from './authorization-transaction.ts';
import { type LiveGrantRow, toLiveGrant } from './live-grant-row.ts';
import type { PrismaClient } from './prisma.ts';

/** What authorization reads and writes in PostgreSQL. */
export function createAuthorizationStore(database: Database, prisma: PrismaClient): AuthorizationStore {
  return {
    findApplication: (clientId) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<ApplicationRow[]>`
          SELECT ${applicationColumns} FROM applications a WHERE a.client_id = ${clientId}`;
        return row && toApplication(row);
      }),
    ownedBusinesses: (personId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<{ business_id: bigint }[]>`
          SELECT business_id FROM memberships WHERE person_id = ${personId} AND role = 'owner'
          ORDER BY business_id`;
        return rows.map((row) => Number(row.business_id));
      }),
    liveGrants: (applicationId, businessIds) =>
      database.run(async () => {
        if (businessIds.length === 0) return [];
        const rows = await prisma.$queryRaw<LiveGrantRow[]>`
          SELECT id, business_id, scopes FROM grants
          WHERE application_id = ${applicationId} AND ended_at IS NULL
            AND business_id IN (${Prisma.join(businessIds.map(BigInt))})`;
        return rows.map(toLiveGrant);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createAuthorizationTransaction(client)))),
  };
}
