import type { Database } from '@platform/service-kit/database/database.ts';
import { createBusinessStore } from './businesses/store.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderStore } from './orders/store.ts';
import { countRows, purgeIdempotencyKeys } from './retention.ts';

export type Store = ReturnType<typeof openStore>;

/**
 * Everything that the service keeps in its database; connects with the first call. Each call throws AppError `unavailable`
 * while the database cannot serve.
 */
export function openStore(database: Database) {
  const { adapter, transactionOptions } = database;
  const prisma = new PrismaClient({ adapter, transactionOptions });
  return {
    businesses: createBusinessStore(prisma, database),
    orders: createOrderStore(prisma, database),
    /** Deletes expired idempotency keys; resolves to how many. */
    purgeIdempotencyKeys: (): Promise<number> => database.run(() => purgeIdempotencyKeys(prisma)),
    /** Rows of each table, as PostgreSQL estimates them. */
    countRows: (): Promise<ReadonlyMap<string, number>> => database.run(() => countRows(prisma)),
    close: async (): Promise<void> => {
      await prisma.$disconnect();
      await database.close();
    },
  };
}
