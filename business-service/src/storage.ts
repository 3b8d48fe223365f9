import type { Database } from '@platform/service-kit/database/database.ts';
import { type BusinessStore, createBusinessStore } from './businesses/store.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderStore, type OrderStore } from './orders/store.ts';
import { countRows, purgeIdempotencyKeys } from './retention.ts';

/** Everything that the service keeps. Each call throws AppError `unavailable` while the database cannot serve. */
export interface Store {
  readonly businesses: BusinessStore;
  readonly orders: OrderStore;
  /** Deletes idempotency keys past their time; how many. */
  purgeIdempotencyKeys(): Promise<number>;
  /** Rows of each table, as PostgreSQL estimates them. */
  countRows(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** Opens the store over a database; connects with the first call. */
export function openStore(database: Database): Store {
  const { adapter, transactionOptions } = database;
  const prisma = new PrismaClient({ adapter, transactionOptions });
  return {
    businesses: createBusinessStore(prisma, database),
    orders: createOrderStore(prisma, database),
    purgeIdempotencyKeys: () => database.run(() => purgeIdempotencyKeys(prisma)),
    countRows: () => database.run(() => countRows(prisma)),
    close: async () => {
      await prisma.$disconnect();
      await database.close();
    },
  };
}
