import type { ApiKey, KeyType } from '../api-keys/api-key.ts';
import { apiKeyStatus } from '../api-keys/api-key-status.ts';
import { isScope } from '../authorization/scope.ts';
import { Prisma } from '../generated/client.ts';

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
