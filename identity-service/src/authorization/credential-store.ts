import type { Database } from '@platform/service-kit/database/database.ts';
import type { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import { grantedScopes, type KeyType } from '../api-keys/api-key.ts';
import { grantLimit } from '../grants/grant.ts';
import { isScope } from '../platform/scope.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { Credential, FindCredential } from './credential.ts';
import type { AuthorizeMetrics } from './grpc.ts';
import { createSharedLookup } from './shared-lookup.ts';

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
async function findApiKeys(
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
async function findAccessTokens(
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

interface FindCredentialDeps {
  readonly database: Database;
  readonly prisma: PrismaClient;
  /** Of PostgreSQL: one that is dead is not waited for. */
  readonly liveness: Pick<Liveness, 'watch'>;
  readonly metrics: Pick<AuthorizeMetrics, 'observeWait' | 'observeQuery'>;
}

/**
 * Credentials in PostgreSQL: for each at most one indexed read, outside any transaction. One statement, hence one
 * snapshot: a generation that is newer than the credential beside it would let gateways keep an outdated answer.
 */
export function createFindCredential(deps: FindCredentialDeps): FindCredential {
  const { database, prisma, liveness, metrics } = deps;
  const shared = (find: FindMany) =>
    createSharedLookup({
      query: (hashes) => liveness.watch(() => database.run(() => find(prisma, hashes))),
      onWaited: metrics.observeWait,
      onQueried: metrics.observeQuery,
    });
  const find = { api_key: shared(findApiKeys), access_token: shared(findAccessTokens) };
  return (kind, hashes, endsAt) => find[kind](hashes, endsAt);
}

/** Credentials by their hash in hexadecimal. */
type FindMany = (prisma: PrismaClient, hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Credential>>;
