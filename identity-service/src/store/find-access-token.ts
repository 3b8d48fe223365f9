import type { Credential } from '../authorization/credential.ts';
import { isScope } from '../authorization/scope.ts';
import { grantLimit } from '../grants/grant.ts';
import type { PrismaClient } from './prisma.ts';

interface AccessTokenRow {
  readonly token_hash: Uint8Array;
  readonly id: string;
  readonly grant_id: string;
  readonly business_id: bigint;
  readonly scopes: readonly string[];
  readonly application_scopes: readonly string[];
  readonly ip_whitelist: readonly string[];
  readonly allowed_origins: readonly string[];
  readonly expires_at: Date;
  readonly frozen: boolean;
  readonly generation: bigint;
  readonly read_at: Date;
}

/**
 * Access tokens as credentials, by the hash of their strings in hexadecimal; one that was revoked, or whose Grant has
 * ended, is none.
 */
export async function findAccessTokens(
  prisma: PrismaClient,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, Credential>> {
  const rows = await prisma.$queryRaw<AccessTokenRow[]>`
    SELECT t.token_hash, t.id, t.grant_id, g.business_id, t.scopes, a.scopes AS application_scopes, a.ip_whitelist,
           a.allowed_origins, t.expires_at,
           f.business_id IS NOT NULL AS frozen, coalesce(c.generation, 1) AS generation, clock_timestamp() AS read_at
    FROM access_tokens t
    JOIN grants g ON g.id = t.grant_id AND g.ended_at IS NULL
    JOIN applications a ON a.id = g.application_id
    LEFT JOIN credential_generations c ON c.business_id = g.business_id
    LEFT JOIN business_freezes f ON f.business_id = g.business_id
    WHERE t.token_hash = ANY(${[...hashes]}::bytea[]) AND t.revoked_at IS NULL`;
  return new Map(
    rows.map((row) => [Buffer.from(row.token_hash).toString('hex'), accessTokenCredential(row)]),
  );
}

function accessTokenCredential(row: AccessTokenRow): Credential {
  return {
    id: row.id,
    type: 'access_token',
    businessId: Number(row.business_id),
    // What the application may no longer ask for, its older tokens may no longer do.
    scopes: row.scopes.filter(isScope).filter((scope) => row.application_scopes.includes(scope)),
    limitId: row.grant_id,
    limit: grantLimit,
    ipWhitelist: row.ip_whitelist,
    allowedOrigins: row.allowed_origins,
    generation: Number(row.generation),
    expiresAt: row.expires_at.getTime(),
    frozen: row.frozen,
    readAt: row.read_at.getTime(),
  };
}
