import type { Database } from '@platform/service-kit/database/database.ts';
import { createClaimStore } from './deliveries/claim-store.ts';
import { createResultStore } from './deliveries/result-store.ts';
import { createDeliveryStore } from './deliveries/store.ts';
import { createRemovalStore } from './endpoints/removal-store.ts';
import { createSealStore } from './endpoints/seal-store.ts';
import { createEndpointStore } from './endpoints/store.ts';
import { createWarningStore } from './endpoints/warning-store.ts';
import { createErasureStore } from './erasures/store.ts';
import { createFeedStore } from './feed/store.ts';
import { PrismaClient } from './generated/client.ts';
import { createCheckStore } from './receiver-check/store.ts';
import { createRetentionStore } from './retention/store.ts';

export type Store = ReturnType<typeof openStore>;

/** The stores of the service; connects with the first call. Each call throws AppError `unavailable` while the database is. */
export function openStore(database: Database) {
  const { adapter, transactionOptions } = database;
  const prisma = new PrismaClient({ adapter, transactionOptions });
  return {
    endpoints: createEndpointStore(prisma, database),
    removals: createRemovalStore(prisma, database),
    seals: createSealStore(prisma, database),
    warnings: createWarningStore(prisma, database),
    deliveries: createDeliveryStore(prisma, database),
    checks: createCheckStore(prisma, database),
    claims: createClaimStore(prisma, database),
    results: createResultStore(prisma, database),
    feed: createFeedStore(prisma, database),
    erasures: createErasureStore(prisma, database),
    retention: createRetentionStore(prisma, database),
    close: async (): Promise<void> => {
      await prisma.$disconnect();
      await database.close();
    },
  };
}
