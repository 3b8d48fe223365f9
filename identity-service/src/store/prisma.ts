import type { Database } from '@platform/service-kit/database.ts';
import { PrismaClient } from '../generated/client.ts';

export type { PrismaClient } from '../generated/client.ts';

/** Prisma over the service's pool. */
export function createPrisma({ adapter, transactionOptions }: Database): PrismaClient {
  return new PrismaClient({ adapter, transactionOptions });
}
