import type { Database } from '@platform/service-kit/database/database.ts';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { raiseGeneration } from '../platform/credential-generations.ts';
import { apiKeyStatus } from '../platform/expiry.ts';
import { isScope } from '../platform/scope.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { ApiKey, KeyType, KeyWithSecret, NewApiKey, StoredSecret } from './api-key.ts';

/** Where API keys are kept. */
export interface ApiKeyStore {
  find(businessId: number, id: string): Promise<ApiKey | undefined>;
  /** Newest first; all of them without `max`. */
  list(businessId: number, max?: number): Promise<ApiKey[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: ApiKeyTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. Changes resolve to the key as it stands afterwards. */
interface ApiKeyTransaction {
  /** Adds a key, and the business's generation with its first key. */
  insert(key: NewApiKey): Promise<ApiKey>;
  /** Reads a key and keeps others from changing it until the transaction ends. */
  lock(businessId: number, id: string): Promise<ApiKey | undefined>;
  setFields(id: string, fields: Pick<NewApiKey, 'name' | 'description' | 'scopes'>): Promise<ApiKey>;
  setLimit(id: string, limit: number): Promise<ApiKey>;
  /** Reads a key with its secret, and keeps nobody from changing it. */
  readSecret(businessId: number, id: string): Promise<KeyWithSecret | undefined>;
  /**
   * Puts `next` in the place of the secret that was read. Undefined when another rotation, a deletion or the
   * expiration came first.
   */
  replaceSecret(read: KeyWithSecret, next: StoredSecret): Promise<ApiKey | undefined>;
  remove(id: string): Promise<void>;
  /** Raises the business's credential generation. Resolves to the new one. */
  raiseGeneration(businessId: number): Promise<number>;
  audit(event: AuditEvent): Promise<void>;
}

/** What is read of `api_keys`, together with the database's clock at that moment. */
export const apiKeyColumns = Prisma.sql`
  id, business_id, name, description, key_type::text, scopes, last_four, request_limit,
  created_at, expires_at, rotated_at, last_used_at, last_used_ip, clock_timestamp() AS read_at`;

/** A row of `apiKeyColumns`. */
export interface ApiKeyRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly name: string;
  readonly description: string;
  readonly key_type: KeyType;
  readonly scopes: readonly string[];
  readonly last_four: string;
  readonly request_limit: number;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly rotated_at: Date | null;
  readonly last_used_at: Date | null;
  readonly last_used_ip: string | null;
  readonly read_at: Date;
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  const expiresAt = row.expires_at?.getTime();
  return {
    id: row.id,
    businessId: Number(row.business_id),
    name: row.name,
    description: row.description,
    keyType: row.key_type,
    scopes: row.scopes.filter(isScope),
    status: apiKeyStatus(expiresAt, row.read_at.getTime()),
    lastFour: row.last_four,
    limit: row.request_limit,
    createdAt: row.created_at.getTime(),
    expiresAt,
    rotatedAt: row.rotated_at?.getTime(),
    lastUsedAt: row.last_used_at?.getTime(),
    lastUsedIp: row.last_used_ip ?? undefined,
  };
}

/** What an operation on API keys does in one transaction of `client`. */
function createApiKeyTransaction(client: Prisma.TransactionClient): ApiKeyTransaction {
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
