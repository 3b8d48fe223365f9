import type { ApiKey } from '../api-keys/api-key.ts';
import type { ApiKeyTransaction } from '../api-keys/api-key-store.ts';
import { Prisma } from '../generated/client.ts';
import { type ApiKeyRow, apiKeyColumns, toApiKey } from './api-key-row.ts';
import { insertAuditEvent } from './audit-store.ts';
import { raiseGeneration } from './generation-store.ts';

/** What an operation on API keys does in one transaction of `client`. */
export function createApiKeyTransaction(client: Prisma.TransactionClient): ApiKeyTransaction {
  /** Changes one key that this transaction holds. */
  const change = async (id: string, assignments: Prisma.Sql) => {
    const [row] = await client.$queryRaw<ApiKeyRow[]>`
      UPDATE api_keys SET ${assignments} WHERE id = ${id} RETURNING ${apiKeyColumns}`;
    return only(row);
  };
  return {
    insert: (key) => insertApiKey(client, key),
    lock: async (businessId, id) => {
      const [row] = await client.$queryRaw<ApiKeyRow[]>`
        SELECT ${apiKeyColumns} FROM api_keys
        WHERE id = ${id} AND business_id = ${BigInt(businessId)} FOR UPDATE`;
      return row && toApiKey(row);
    },
    setFields: (id, { name, description, scopes }) =>
      change(id, Prisma.sql`name = ${name}, description = ${description}, scopes = ${[...scopes]}`),
    setLimit: (id, limit) => change(id, Prisma.sql`request_limit = ${limit}`),
    readSecret: async (businessId, id) => {
      const [row] = await client.$queryRaw<(ApiKeyRow & { secret_hash: Uint8Array })[]>`
        SELECT ${apiKeyColumns}, secret_hash FROM api_keys
        WHERE id = ${id} AND business_id = ${BigInt(businessId)}`;
      return row && { key: toApiKey(row), secretHash: row.secret_hash };
    },
    replaceSecret: async ({ key, secretHash }, next) => {
      const [row] = await client.$queryRaw<ApiKeyRow[]>`
        UPDATE api_keys
        SET secret_hash = ${next.hash}, last_four = ${next.lastFour}, rotated_at = clock_timestamp()
        WHERE id = ${key.id} AND secret_hash = ${secretHash}
          AND (expires_at IS NULL OR clock_timestamp() < expires_at)
        RETURNING ${apiKeyColumns}`;
      return row && toApiKey(row);
    },
    remove: async (id) => {
      await client.$executeRaw`DELETE FROM api_keys WHERE id = ${id}`;
    },
    raiseGeneration: (businessId) => raiseGeneration(client, businessId),
    audit: (event) => insertAuditEvent(client, event),
  };
}

type NewApiKeyRow = Parameters<ApiKeyTransaction['insert']>[0];

async function insertApiKey(client: Prisma.TransactionClient, key: NewApiKeyRow): Promise<ApiKey> {
  const businessId = BigInt(key.businessId);
  const expiresAt = key.expiresAt === undefined ? null : new Date(key.expiresAt);
  await client.$executeRaw`
    INSERT INTO credential_generations (business_id, generation, propagated)
    VALUES (${businessId}, 1, 1) ON CONFLICT DO NOTHING`;
  const [row] = await client.$queryRaw<ApiKeyRow[]>`
    INSERT INTO api_keys
      (id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit, expires_at)
    VALUES
      (${key.id}, ${businessId}, ${key.name}, ${key.description}, ${key.keyType}::api_key_type, ${[...key.scopes]},
       ${key.secret.hash}, ${key.secret.lastFour}, ${key.limit}, ${expiresAt})
    RETURNING ${apiKeyColumns}`;
  return only(row);
}

/** The one row that a statement on a held row returns. */
function only(row: ApiKeyRow | undefined): ApiKey {
  if (row === undefined) throw new Error('a key that this transaction holds is gone');
  return toApiKey(row);
}
