import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import type { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import { type ApiScopes, knownScopes } from '../../platform/scope.ts';
import type { PrismaClient } from '../../platform/storage.ts';
import { findRetiredStrings } from '../../traffic/retired-store.ts';
import type { FindRetired } from '../../traffic/retired-string.ts';
import { grantedScopes } from '../api-keys/api-key.ts';
import { grantLimit } from '../grants/grant.ts';
import { suspendedColumn, suspendedValue } from '../suspensions/store.ts';
import type { Credential, FindCredential } from './credential.ts';
import type { AuthorizeMetrics } from './grpc.ts';
import { createSharedLookup, type Lookup } from './shared-lookup.ts';

/** Columns of every credential. */
const credentialRow = z.object({
  hash: bytes,
  id: z.string(),
  businessId: integer,
  scopes: z.array(z.string()),
  frozen: z.boolean(),
  isSandbox: z.boolean(),
  generation: integer,
  readAt: timestamp,
});

const apiKeyRow = credentialRow.extend({
  keyType: z.enum(['secret', 'restricted']),
  requestLimit: z.int(),
  expiresAt: nullable(timestamp),
  keyFrozen: z.boolean(),
  ipWhitelist: z.array(z.string()),
});

/** API keys `k` as credentials, with the hash of their strings. @param condition what follows WHERE */
export async function selectKeyCredentials(
  prisma: PrismaClient,
  apiScopes: ApiScopes,
  condition: Prisma.Sql,
): Promise<{ readonly hash: Buffer; readonly credential: Credential }[]> {
  const statement = prisma.$queryRaw`
    SELECT k.secret_hash AS hash, k.id, k.business_id AS "businessId", k.key_type::text AS "keyType", k.scopes, k.ip_whitelist AS "ipWhitelist",
           k.request_limit AS "requestLimit", k.expires_at AS "expiresAt", f.business_id IS NOT NULL AS frozen,
           k.frozen_at IS NOT NULL AS "keyFrozen", b.business_id IS NOT NULL AS "isSandbox",
           coalesce(g.generation, 1) AS generation, clock_timestamp() AS "readAt"
    FROM api_keys k
    LEFT JOIN credential_generations g ON g.business_id = k.business_id
    LEFT JOIN business_freezes f ON f.business_id = k.business_id
    LEFT JOIN sandboxes b ON b.business_id = k.business_id
    WHERE ${condition}`;
  const rows = await readRows(apiKeyRow, statement);
  return rows.map((row) => ({ hash: row.hash, credential: apiKeyCredential(apiScopes, row) }));
}

/** API keys as credentials, by the hash of their strings in hexadecimal. */
async function findApiKeys(
  prisma: PrismaClient,
  apiScopes: ApiScopes,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, Credential>> {
  const condition = Prisma.sql`k.secret_hash = ANY(${[...hashes]}::bytea[])`;
  const found = await selectKeyCredentials(prisma, apiScopes, condition);
  return new Map(found.map(({ hash, credential }) => [hash.toString('hex'), credential]));
}

function apiKeyCredential(apiScopes: ApiScopes, row: z.output<typeof apiKeyRow>): Credential {
  const { id, businessId, keyType, generation, expiresAt, frozen, keyFrozen, isSandbox, readAt } = row;
  return {
    id,
    type: keyType === 'secret' ? 'secret_key' : 'restricted_key',
    businessId,
    applicationId: undefined,
    scopes: knownScopes(apiScopes, grantedScopes(apiScopes, row)),
    limitId: id,
    limit: row.requestLimit,
    ipWhitelist: row.ipWhitelist.length === 0 ? undefined : row.ipWhitelist,
    allowedOrigins: [],
    generation,
    expiresAt,
    frozen,
    keyFrozen,
    isSandbox,
    suspended: undefined,
    readAt,
  };
}

const accessTokenRow = credentialRow.extend({
  grantId: z.string(),
  applicationId: z.string(),
  applicationScopes: z.array(z.string()),
  ipWhitelist: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  expiresAt: timestamp,
  suspended: suspendedValue,
});

/**
 * Access tokens as credentials, by the hash of their strings in hexadecimal. Revoked tokens, and tokens of Grants that have
 * ended, are not found.
 */
async function findAccessTokens(
  prisma: PrismaClient,
  apiScopes: ApiScopes,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, Credential>> {
  const statement = prisma.$queryRaw`
    SELECT t.token_hash AS hash, t.id, t.grant_id AS "grantId", g.business_id AS "businessId", t.scopes,
           a.id AS "applicationId", a.scopes AS "applicationScopes", a.ip_whitelist AS "ipWhitelist", a.allowed_origins AS "allowedOrigins",
           t.expires_at AS "expiresAt", f.business_id IS NOT NULL AS frozen, ${suspendedColumn},
           b.business_id IS NOT NULL AS "isSandbox",
           coalesce(c.generation, 1) AS generation, clock_timestamp() AS "readAt"
    FROM access_tokens t
    JOIN grants g ON g.id = t.grant_id AND g.ended_at IS NULL
    JOIN applications a ON a.id = g.application_id
    LEFT JOIN credential_generations c ON c.business_id = g.business_id
    LEFT JOIN business_freezes f ON f.business_id = g.business_id
    LEFT JOIN sandboxes b ON b.business_id = g.business_id
    WHERE t.token_hash = ANY(${[...hashes]}::bytea[]) AND t.revoked_at IS NULL`;
  const rows = await readRows(accessTokenRow, statement);
  return new Map(rows.map((row) => [row.hash.toString('hex'), accessTokenCredential(apiScopes, row)]));
}

function accessTokenCredential(apiScopes: ApiScopes, row: z.output<typeof accessTokenRow>): Credential {
  const { id, businessId, applicationId, scopes, grantId, ipWhitelist, allowedOrigins } = row;
  const { generation, expiresAt, frozen, isSandbox, suspended, readAt } = row;
  return {
    id,
    type: 'access_token',
    businessId,
    applicationId,
    // Removing a scope from an application also removes it from its existing tokens.
    scopes: knownScopes(apiScopes, scopes).filter((scope) => row.applicationScopes.includes(scope)),
    limitId: grantId,
    limit: grantLimit,
    ipWhitelist,
    allowedOrigins,
    generation,
    expiresAt,
    frozen,
    keyFrozen: false,
    isSandbox,
    suspended,
    readAt,
  };
}

interface LookupDeps {
  readonly database: Database;
  readonly prisma: PrismaClient;
  /** Liveness of PostgreSQL, so that lookups do not wait for a dead server. */
  readonly liveness: Pick<Liveness, 'watch'>;
  readonly metrics: Pick<AuthorizeMetrics, 'observeWait' | 'observeQuery'>;
}

/**
 * Credentials in PostgreSQL: at most one indexed read for each, outside any transaction. Generation and credential come
 * from one statement, so from one snapshot. A newer generation would let gateways cache an outdated credential.
 */
export function createFindCredential(deps: LookupDeps & { readonly apiScopes: ApiScopes }): FindCredential {
  const { apiScopes } = deps;
  const find = {
    api_key: shared(deps, (prisma, hashes) => findApiKeys(prisma, apiScopes, hashes)),
    access_token: shared(deps, (prisma, hashes) => findAccessTokens(prisma, apiScopes, hashes)),
  };
  return (kind, hashes, endsAt) => find[kind](hashes, endsAt);
}

/** Retired strings in PostgreSQL, looked up like credentials. */
export function createFindRetired(deps: LookupDeps): FindRetired {
  return shared(deps, findRetiredStrings);
}

/** @param find by hash in hexadecimal */
function shared<Found>(
  { database, prisma, liveness, metrics }: LookupDeps,
  find: (prisma: PrismaClient, hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Found>>,
): Lookup<Found> {
  return createSharedLookup({
    query: (hashes) => liveness.watch(() => database.run(() => find(prisma, hashes))),
    onWaited: metrics.observeWait,
    onQueried: metrics.observeQuery,
  });
}
