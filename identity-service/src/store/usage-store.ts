import type { Database } from '@platform/service-kit/database.ts';
import type { Prisma } from '../generated/client.ts';
import type { UsageStore } from '../usage/usage-batch.ts';
import { raiseGrantUse } from './grant-use.ts';
import { raiseKeyUse } from './key-use.ts';
import { raiseLimitObservations, raiseScopeUses } from './limit-use.ts';
import { addAddresses, addEndpoints } from './place-use.ts';
import type { PrismaClient } from './prisma.ts';
import { addHours, addMinutes } from './usage-counts.ts';

/** Every batch takes these steps in this order, and each locks its rows sorted: batches that meet never wait in a circle. */
const steps = [
  addMinutes,
  addHours,
  raiseKeyUse,
  raiseGrantUse,
  addAddresses,
  addEndpoints,
  raiseScopeUses,
  raiseLimitObservations,
];

/** Usage in PostgreSQL. */
export function createUsageStore(database: Database, prisma: PrismaClient): UsageStore {
  return {
    addOnce: ({ batchId, counts }) =>
      database.run(() =>
        prisma.$transaction(async (client) => {
          if (counts.length === 0 || !(await isNew(client, batchId))) return;
          for (const step of steps) await step(client, counts);
        }),
      ),
  };
}

async function isNew(client: Prisma.TransactionClient, batchId: string): Promise<boolean> {
  const added = await client.$executeRaw`
    INSERT INTO usage_batches (batch_id) VALUES (${batchId}::uuid) ON CONFLICT DO NOTHING`;
  return added > 0;
}
