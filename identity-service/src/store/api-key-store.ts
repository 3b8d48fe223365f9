import type { Database } from '@platform/service-kit/database.ts';
import type { ApiKeyStore } from '../api-keys/api-key-store.ts';
import { type ApiKeyRow, apiKeyColumns, toApiKey } from './api-key-row.ts';
import { createApiKeyTransaction } from './api-key-transaction.ts';
import type { PrismaClient } from './prisma.ts';

/** API keys in PostgreSQL. */
export function createApiKeyStore(database: Database, prisma: PrismaClient): ApiKeyStore {
  return {
    find: (businessId, id) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<ApiKeyRow[]>`
          SELECT ${apiKeyColumns} FROM api_keys WHERE id = ${id} AND business_id = ${BigInt(businessId)}`;
        return row && toApiKey(row);
      }),
    list: (businessId, max) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<ApiKeyRow[]>`
          SELECT ${apiKeyColumns} FROM api_keys WHERE business_id = ${BigInt(businessId)}
          ORDER BY created_at DESC, id LIMIT ${max ?? null}`;
        return rows.map(toApiKey);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createApiKeyTransaction(client)))),
  };
}
