import type { Database } from '@platform/service-kit/database/database.ts';
import { Prisma } from '../generated/client.ts';
import { createGrantTransaction, type GrantTransaction } from '../grants/store.ts';
import { isScope, type Scope } from '../platform/scope.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { StoredTokenPair } from './token-pair.ts';

/** A code as it was read. Times are milliseconds since 1970 on the database's clock. */
export interface StoredCode {
  readonly hash: Uint8Array;
  readonly grantId: string;
  readonly grantIsLive: boolean;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
  readonly readAt: number;
}

/** A refresh token as it was read. */
export interface StoredRefreshToken {
  readonly hash: Uint8Array;
  readonly grantId: string;
  readonly grantIsLive: boolean;
  readonly scopes: readonly Scope[];
}

/** How a refresh token was used. Times are milliseconds since 1970 on the database's clock, to the microsecond. */
export interface Rotation {
  readonly usedAt: number;
  /** When the rotation was committed, before it was answered; absent while it is not. */
  readonly settledAt: number | undefined;
  /** Of the Idempotency-Key that it was asked with. */
  readonly idempotencyHash: Uint8Array | undefined;
  /** Its answer, kept for a while when there was such a key. */
  readonly sealedAnswer: Uint8Array | undefined;
  readonly readAt: number;
}

/** A token that a client wants revoked. */
export interface RevocableToken {
  readonly kind: 'access_token' | 'refresh_token';
  /** Identifier of an access token; of a refresh token, of its Grant. */
  readonly id: string;
  readonly hash: Uint8Array;
  readonly grantId: string;
  readonly businessId: number;
  readonly applicationId: string;
}

/** Where codes and tokens are kept. */
export interface TokenStore {
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: TokenTransaction) => Promise<T>): Promise<T>;
  /** Notes that the rotation of a refresh token is committed, on the database's clock. */
  settleRotation(hash: Uint8Array): Promise<void>;
}

/** What one transaction can do. */
export interface TokenTransaction extends GrantTransaction {
  /** An application's code, used or not; another's is undefined. Its Grant cannot be removed until the end. */
  findCode(applicationId: string, hashes: readonly Buffer[]): Promise<StoredCode | undefined>;
  /** Uses a code up, unless it has been used. Of several at once it is true for one. */
  consumeCode(hash: Uint8Array): Promise<boolean>;
  /** Whether a code is there and used. */
  isCodeUsed(hash: Uint8Array): Promise<boolean>;
  /** Removes a code. */
  burnCode(hash: Uint8Array): Promise<void>;
  /** An application's refresh token, used or not; another's is undefined. Its Grant cannot be removed until the end. */
  findRefreshToken(applicationId: string, hashes: readonly Buffer[]): Promise<StoredRefreshToken | undefined>;
  /** Uses a refresh token up, unless it has been used or is over. Of several at once it is true for one. */
  consumeRefreshToken(hash: Uint8Array): Promise<boolean>;
  /** How a refresh token was used; undefined when it was not. */
  findRotation(hash: Uint8Array): Promise<Rotation | undefined>;
  /** Keeps the answer of a refresh for repetitions with the same Idempotency-Key. */
  keepAnswer(hash: Uint8Array, idempotencyHash: Uint8Array, sealedAnswer: Uint8Array): Promise<void>;
  insertTokens(pair: StoredTokenPair): Promise<void>;
  /** A token of any application, by every hash under which it may be stored. */
  findRevocable(hashes: readonly Buffer[]): Promise<RevocableToken | undefined>;
  revokeAccessToken(hash: Uint8Array): Promise<void>;
}

interface CodeRow {
  readonly code_hash: Uint8Array;
  readonly grant_id: string;
  readonly is_live: boolean;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date;
  readonly now: Date;
}

/** Authorization codes within a transaction of `client`. */
function codeStatements(
  client: Prisma.TransactionClient,
): Pick<TokenTransaction, 'findCode' | 'consumeCode' | 'isCodeUsed' | 'burnCode'> {
  return {
    findCode: async (applicationId, hashes) => {
      // The Grant first: whoever removes it locks it before its codes, too.
      const [row] = await client.$queryRaw<CodeRow[]>`
        SELECT c.code_hash, c.grant_id, g.ended_at IS NULL AS is_live, c.redirect_uri, c.code_challenge, c.scopes,
               c.expires_at, clock_timestamp() AS now
        FROM authorization_codes c JOIN grants g ON g.id = c.grant_id
        WHERE c.code_hash IN (${Prisma.join([...hashes])}) AND g.application_id = ${applicationId}
        FOR KEY SHARE OF g`;
      return (
        row && {
          hash: row.code_hash,
          grantId: row.grant_id,
          grantIsLive: row.is_live,
          redirectUri: row.redirect_uri,
          challenge: row.code_challenge,
          scopes: row.scopes.filter(isScope),
          expiresAt: row.expires_at.getTime(),
          readAt: row.now.getTime(),
        }
      );
    },
    consumeCode: async (hash) => {
      const consumed = await client.$executeRaw`
        UPDATE authorization_codes SET used_at = clock_timestamp()
        WHERE code_hash = ${hash} AND used_at IS NULL`;
      return consumed === 1;
    },
    isCodeUsed: async (hash) => {
      const rows = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM authorization_codes WHERE code_hash = ${hash} AND used_at IS NOT NULL`;
      return rows.length === 1;
    },
    burnCode: async (hash) => {
      await client.$executeRaw`DELETE FROM authorization_codes WHERE code_hash = ${hash}`;
    },
  };
}

interface RefreshTokenRow {
  readonly token_hash: Uint8Array;
  readonly grant_id: string;
  readonly is_live: boolean;
  readonly scopes: readonly string[];
}

interface RotationRow {
  readonly used_ms: number;
  readonly settled_ms: number | null;
  readonly now_ms: number;
  readonly idempotency_hash: Uint8Array | null;
  readonly sealed_answer: Uint8Array | null;
}

/** Refresh tokens within a transaction of `client`. */
function refreshTokenStatements(
  client: Prisma.TransactionClient,
): Pick<TokenTransaction, 'findRefreshToken' | 'consumeRefreshToken' | 'findRotation' | 'keepAnswer'> {
  return {
    findRefreshToken: async (applicationId, hashes) => {
      // The Grant first: whoever removes it locks it before its tokens, too.
      const [row] = await client.$queryRaw<RefreshTokenRow[]>`
        SELECT r.token_hash, r.grant_id, g.ended_at IS NULL AS is_live, r.scopes
        FROM refresh_tokens r JOIN grants g ON g.id = r.grant_id
        WHERE r.token_hash IN (${Prisma.join([...hashes])}) AND g.application_id = ${applicationId}
        FOR KEY SHARE OF g`;
      return (
        row && {
          hash: row.token_hash,
          grantId: row.grant_id,
          grantIsLive: row.is_live,
          scopes: row.scopes.filter(isScope),
        }
      );
    },
    consumeRefreshToken: async (hash) => {
      const consumed = await client.$executeRaw`
        UPDATE refresh_tokens SET used_at = clock_timestamp()
        WHERE token_hash = ${hash} AND used_at IS NULL AND clock_timestamp() < expires_at`;
      return consumed === 1;
    },
    findRotation: async (hash) => {
      const [row] = await client.$queryRaw<RotationRow[]>`
        SELECT extract(epoch FROM used_at)::float8 * 1000 AS used_ms,
               extract(epoch FROM settled_at)::float8 * 1000 AS settled_ms,
               extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms, idempotency_hash, sealed_answer
        FROM refresh_tokens WHERE token_hash = ${hash} AND used_at IS NOT NULL`;
      return (
        row && {
          usedAt: row.used_ms,
          settledAt: row.settled_ms ?? undefined,
          readAt: row.now_ms,
          idempotencyHash: row.idempotency_hash ?? undefined,
          sealedAnswer: row.sealed_answer ?? undefined,
        }
      );
    },
    keepAnswer: async (hash, idempotencyHash, sealedAnswer) => {
      await client.$executeRaw`
        UPDATE refresh_tokens SET idempotency_hash = ${idempotencyHash}, sealed_answer = ${sealedAnswer}
        WHERE token_hash = ${hash}`;
    },
  };
}

interface RevocableRow {
  readonly kind: 'access_token' | 'refresh_token';
  readonly id: string;
  readonly hash: Uint8Array;
  readonly grant_id: string;
  readonly business_id: bigint;
  readonly application_id: string;
}

/** Revocation within a transaction of `client`. */
function revocationStatements(
  client: Prisma.TransactionClient,
): Pick<TokenTransaction, 'findRevocable' | 'revokeAccessToken'> {
  return {
    findRevocable: async (hashes) => {
      const candidates = Prisma.join([...hashes]);
      const [row] = await client.$queryRaw<RevocableRow[]>`
        SELECT t.kind, t.id, t.hash, t.grant_id, g.business_id, g.application_id
        FROM (
          SELECT 'access_token' AS kind, id, token_hash AS hash, grant_id
          FROM access_tokens WHERE token_hash IN (${candidates})
          UNION ALL
          SELECT 'refresh_token', grant_id, token_hash, grant_id
          FROM refresh_tokens WHERE token_hash IN (${candidates})
        ) t JOIN grants g ON g.id = t.grant_id`;
      return (
        row && {
          kind: row.kind,
          id: row.id,
          hash: row.hash,
          grantId: row.grant_id,
          businessId: Number(row.business_id),
          applicationId: row.application_id,
        }
      );
    },
    revokeAccessToken: async (hash) => {
      await client.$executeRaw`
        UPDATE access_tokens SET revoked_at = clock_timestamp()
        WHERE token_hash = ${hash} AND revoked_at IS NULL`;
    },
  };
}

/** What an operation on codes and tokens does in one transaction of `client`. */
function createTokenTransaction(client: Prisma.TransactionClient): TokenTransaction {
  return {
    ...createGrantTransaction(client),
    ...codeStatements(client),
    ...refreshTokenStatements(client),
    ...revocationStatements(client),
    insertTokens: (pair) => insertTokens(client, pair),
  };
}

async function insertTokens(
  client: Prisma.TransactionClient,
  { grantId, access, refresh, lifetimes }: StoredTokenPair,
): Promise<void> {
  await client.$executeRaw`
    INSERT INTO access_tokens (token_hash, id, grant_id, scopes, expires_at)
    VALUES (${access.hash}, ${access.id}, ${grantId}, ${[...access.scopes]},
            clock_timestamp() + make_interval(secs => ${lifetimes.accessTokenSeconds}))`;
  await client.$executeRaw`
    INSERT INTO refresh_tokens (token_hash, grant_id, scopes, expires_at)
    VALUES (${refresh.hash}, ${grantId}, ${[...refresh.scopes]},
            clock_timestamp() + make_interval(secs => ${lifetimes.refreshTokenSeconds}))`;
}

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
