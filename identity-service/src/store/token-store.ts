import type { Database } from '@platform/service-kit/database.ts';
import type { TokenStore } from '../oauth/token/token-store.ts';
import type { PrismaClient } from './prisma.ts';
import { createTokenTransaction } from './token-transaction.ts';

/** Codes and tokens in PostgreSQL. */
export function createTokenStore(database: Database, prisma: PrismaClient): TokenStore {
  return {
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createTokenTransaction(client)))),
    settleRotation: (hash) =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE refresh_tokens SET settled_at = clock_timestamp() WHERE token_hash = ${hash}`;
      }),
  };
}
