import type { Database } from '@platform/service-kit/database.ts';
import type { ApplicationStore } from '../applications/application-store.ts';
import { type ApplicationRow, applicationColumns, toApplication } from './application-row.ts';
import { createApplicationTransaction } from './application-transaction.ts';
import type { PrismaClient } from './prisma.ts';

/** Bounds the list so that it fits into one gRPC message. */
const maxOrigins = 5_000;

/** Applications in PostgreSQL. */
export function createApplicationStore(database: Database, prisma: PrismaClient): ApplicationStore {
  return {
    find: (businessId, id) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<ApplicationRow[]>`
          SELECT ${applicationColumns} FROM applications a
          WHERE a.id = ${id} AND a.business_id = ${BigInt(businessId)}`;
        return row && toApplication(row);
      }),
    list: (businessId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<ApplicationRow[]>`
          SELECT ${applicationColumns} FROM applications a WHERE a.business_id = ${BigInt(businessId)}
          ORDER BY a.created_at DESC, a.id`;
        return rows.map(toApplication);
      }),
    allowedOrigins: () =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<{ origin: string }[]>`
          SELECT origin FROM applications a, unnest(a.allowed_origins) AS origin
          WHERE a.allowed_origins <> '{}'
          GROUP BY origin ORDER BY min(a.created_at), origin LIMIT ${maxOrigins}`;
        return rows.map(({ origin }) => origin);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createApplicationTransaction(client)))),
  };
}
