import type { KeyType } from '../api-keys/api-key.ts';
import { grantedScopes } from '../api-keys/key-scopes.ts';
import type { Credential } from '../authorization/credential.ts';
import { isScope } from '../authorization/scope.ts';
import type { PrismaClient } from './prisma.ts';

interface ApiKeyRow {
  readonly secret_hash: Uint8Array;
  readonly id: string;
  readonly business_id: bigint;
  readonly key_type: KeyType;
  readonly scopes: readonly string[];
  readonly request_limit: number;
  readonly expires_at: Date | null;
  readonly frozen: boolean;
  readonly generation: bigint;
  readonly read_at: Date;
}

/** API keys as credentials, by the hash of their strings in hexadecimal. */
export async function findApiKeys(
  prisma: PrismaClient,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, Credential>> {
  const rows = await prisma.$queryRaw<ApiKeyRow[]>`
    SELECT k.secret_hash, k.id, k.business_id, k.key_type::text, k.scopes, k.request_limit, k.expires_at,
           f.business_id IS NOT NULL AS frozen, coalesce(g.generation, 1) AS generation, clock_timestamp() AS read_at
    FROM api_keys k
    LEFT JOIN credential_generations g ON g.business_id = k.business_id
    LEFT JOIN business_freezes f ON f.business_id = k.business_id
    WHERE k.secret_hash = ANY(${[...hashes]}::bytea[])`;
  return new Map(rows.map((row) => [Buffer.from(row.secret_hash).toString('hex'), apiKeyCredential(row)]));
}

function apiKeyCredential(row: ApiKeyRow): Credential {
  const keyType = row.key_type;
  return {
    id: row.id,
    type: keyType === 'secret' ? 'secret_key' : 'restricted_key',
    businessId: Number(row.business_id),
    scopes: grantedScopes({ keyType, scopes: row.scopes.filter(isScope) }),
    limitId: row.id,
    limit: row.request_limit,
    ipWhitelist: undefined,
    allowedOrigins: [],
    generation: Number(row.generation),
    expiresAt: row.expires_at?.getTime(),
    frozen: row.frozen,
    readAt: row.read_at.getTime(),
  };
}
