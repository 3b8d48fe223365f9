import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { createGrantTransaction } from '../credentials/grants/store.ts';
import { suspendedColumn, suspendedValue } from '../credentials/suspensions/store.ts';
import type { Suspended } from '../credentials/suspensions/suspension.ts';
import { Prisma } from '../generated/client.ts';
import { type PrismaClient, transactionsOf } from '../platform/storage.ts';
import { retireTokens } from '../traffic/retire-store.ts';
import type { StoredTokenPair } from './token-pair.ts';

/** A code as it was read. Times are milliseconds since 1970 on the database's clock. */
export interface StoredCode {
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly grantId: string;
  readonly grantIsLive: boolean;
  /** Set while it may not be used. */
  readonly suspended: Suspended | undefined;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly readAt: number;
}

/** A refresh token as it was read. */
export interface StoredRefreshToken {
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly grantId: string;
  readonly isUsed: boolean;
  readonly grantIsLive: boolean;
  /** Set while it may not be used. */
  readonly suspended: Suspended | undefined;
  readonly scopes: readonly string[];
}

/** A response to a refresh, for repetitions of the request. */
export interface KeptResponse {
  /** Encrypted with a key that is derived from the used refresh token. */
  readonly sealedResponse: Uint8Array<ArrayBuffer>;
  /** Hash of the Idempotency-Key of the request. */
  readonly idempotencyHash: Uint8Array<ArrayBuffer> | undefined;
}

/** A refresh token that replaced another, with what is kept of the response that issued it. */
interface Successor {
  readonly isUsed: boolean;
  readonly sealedResponse: KeptResponse['sealedResponse'] | undefined;
  readonly idempotencyHash: KeptResponse['idempotencyHash'];
}

/** How a refresh token was used. Times are milliseconds since 1970 on the database's clock. */
export interface Rotation {
  readonly usedAt: number;
  readonly readAt: number;
  /** The refresh token that replaced it; undefined if that is not on record, such as after a restore. */
  readonly successor: Successor | undefined;
}

/** A token that a client wants revoked. */
export interface RevocableToken {
  readonly kind: 'access_token' | 'refresh_token';
  /** Identifier of an access token; of a refresh token, of its Grant. */
  readonly id: string;
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly grantId: string;
  readonly businessId: number;
  readonly applicationId: string;
  /** Milliseconds since 1970 on the database's clock. */
  readonly readAt: number;
}

const codeRow = z.object({
  hash: bytes,
  grantId: z.string(),
  grantIsLive: z.boolean(),
  suspended: suspendedValue,
  redirectUri: z.string(),
  challenge: z.string(),
  scopes: z.array(z.string()),
  expiresAt: timestamp,
  readAt: timestamp,
});

/** Authorization codes within a transaction of `client`. */
function codeStatements(client: Prisma.TransactionClient) {
  return {
    /** A code of the application, used or not; undefined for any other. Locks its Grant against removal. */
    findCode: async (applicationId: string, hashes: readonly Buffer[]): Promise<StoredCode | undefined> => {
      // Locks the Grant first, in the same order as its removal.
      const lock = client.$queryRaw`
        SELECT c.code_hash AS hash, c.grant_id AS "grantId", g.ended_at IS NULL AS "grantIsLive",
               c.redirect_uri AS "redirectUri", c.code_challenge AS challenge, c.scopes,
               c.expires_at AS "expiresAt", ${suspendedColumn}, clock_timestamp() AS "readAt"
        FROM authorization_codes c JOIN grants g ON g.id = c.grant_id JOIN applications a ON a.id = g.application_id
        WHERE c.code_hash IN (${Prisma.join([...hashes])}) AND g.application_id = ${applicationId}
        FOR KEY SHARE OF g`;
      const [code] = await readRows(codeRow, lock);
      return code;
    },
    /** Uses up a code. True for exactly one of several concurrent calls; false if it was used before. */
    consumeCode: async ({ hash, readAt }: Pick<StoredCode, 'hash' | 'readAt'>): Promise<boolean> => {
      const { count } = await client.authorizationCode.updateMany({
        where: { codeHash: hash, usedAt: null },
        data: { usedAt: new Date(readAt) },
      });
      return count === 1;
    },
    /** Whether a code exists and was used. */
    isCodeUsed: async (hash: Uint8Array<ArrayBuffer>): Promise<boolean> => {
      const where = { codeHash: hash, usedAt: { not: null } };
      return (await client.authorizationCode.count({ where })) === 1;
    },
    /** Removes a code. */
    burnCode: async (hash: Uint8Array<ArrayBuffer>): Promise<void> => {
      await client.authorizationCode.deleteMany({ where: { codeHash: hash } });
    },
  };
}

const refreshTokenRow = z.object({
  hash: bytes,
  grantId: z.string(),
  isUsed: z.boolean(),
  grantIsLive: z.boolean(),
  suspended: suspendedValue,
  scopes: z.array(z.string()),
});

const rotationRow = z.object({ usedAt: timestamp, readAt: timestamp, successorHash: nullable(bytes) });

const successorRow = z.object({
  isUsed: z.boolean(),
  sealedResponse: nullable(bytes),
  idempotencyHash: nullable(bytes),
});

/** Refresh tokens within a transaction of `client`. */
function refreshTokenStatements(client: Prisma.TransactionClient) {
  return {
    /** A refresh token of the application, used or not; undefined for any other. Locks its Grant against removal. */
    findRefreshToken: async (
      applicationId: string,
      hashes: readonly Buffer[],
    ): Promise<StoredRefreshToken | undefined> => {
      // Locks the Grant first, in the same order as its removal.
      const lock = client.$queryRaw`
        SELECT r.token_hash AS hash, r.grant_id AS "grantId", r.used_at IS NOT NULL AS "isUsed",
               g.ended_at IS NULL AS "grantIsLive", r.scopes, ${suspendedColumn}
        FROM refresh_tokens r JOIN grants g ON g.id = r.grant_id JOIN applications a ON a.id = g.application_id
        WHERE r.token_hash IN (${Prisma.join([...hashes])}) AND g.application_id = ${applicationId}
        FOR KEY SHARE OF g`;
      const [token] = await readRows(refreshTokenRow, lock);
      return token;
    },
    /**
     * Uses up a refresh token that is unused and has not expired. True for exactly one of several concurrent calls. Deletes
     * the stored response that issued the token, unless it is kept for repetitions with an Idempotency-Key.
     */
    consumeRefreshToken: async (hash: Uint8Array, successorHash: Uint8Array): Promise<boolean> => {
      const consumed = await client.$executeRaw`
        UPDATE refresh_tokens
        SET used_at = clock_timestamp(), successor_hash = ${successorHash},
            sealed_answer = CASE WHEN idempotency_hash IS NOT NULL THEN sealed_answer END
        WHERE token_hash = ${hash} AND used_at IS NULL AND clock_timestamp() < expires_at`;
      return consumed === 1;
    },
    /** How a refresh token was used; undefined when it was not. Locks its successor against use. */
    findRotation: async (hash: Uint8Array): Promise<Rotation | undefined> => {
      const statement = client.$queryRaw`
        SELECT used_at AS "usedAt", successor_hash AS "successorHash", clock_timestamp() AS "readAt"
        FROM refresh_tokens WHERE token_hash = ${hash} AND used_at IS NOT NULL`;
      const [rotation] = await readRows(rotationRow, statement);
      if (rotation === undefined) return undefined;
      const { successorHash, ...times } = rotation;
      // The lock waits for a concurrent refresh with the successor, so that its outcome is known.
      const lock = client.$queryRaw`
        SELECT used_at IS NOT NULL AS "isUsed", sealed_answer AS "sealedResponse", idempotency_hash AS "idempotencyHash"
        FROM refresh_tokens WHERE token_hash = ${successorHash ?? null} FOR SHARE`;
      const [successor] = await readRows(successorRow, lock);
      return { ...times, successor };
    },
  };
}

const revocableRow = z.object({
  kind: z.enum(['access_token', 'refresh_token']),
  id: z.string(),
  hash: bytes,
  grantId: z.string(),
  businessId: integer,
  applicationId: z.string(),
  readAt: timestamp,
});

/** Revocation within a transaction of `client`. */
function revocationStatements(client: Prisma.TransactionClient) {
  return {
    /** A token of any application, by every hash under which it may be stored. */
    findRevocable: (hashes: readonly Buffer[]): Promise<RevocableToken[]> => {
      const candidates = Prisma.sql`ANY(${[...hashes]}::bytea[])`;
      const statement = client.$queryRaw`
        SELECT t.kind, t.id, t.hash, t.grant_id AS "grantId", g.business_id AS "businessId",
               g.application_id AS "applicationId", clock_timestamp() AS "readAt"
        FROM (
          SELECT 'access_token' AS kind, id, token_hash AS hash, grant_id
          FROM access_tokens WHERE token_hash = ${candidates}
          UNION ALL
          SELECT 'refresh_token', grant_id, token_hash, grant_id
          FROM refresh_tokens WHERE token_hash = ${candidates}
        ) t JOIN grants g ON g.id = t.grant_id AND g.application_id IS NOT NULL`;
      return readRows(revocableRow, statement);
    },
    /** Revokes an access token. False if it was revoked before. */
    revokeAccessToken: async ({ hash, readAt }: RevocableToken): Promise<boolean> => {
      await retireTokens(client, Prisma.sql`t.token_hash = ${hash}`, 'revoked');
      const { count } = await client.accessToken.updateMany({
        where: { tokenHash: hash, revokedAt: null },
        data: { revokedAt: new Date(readAt) },
      });
      return count > 0;
    },
  };
}

export type TokenTransaction = ReturnType<typeof createTokenTransaction>;

/** Statements of one transaction. */
function createTokenTransaction(client: Prisma.TransactionClient) {
  return {
    ...createGrantTransaction(client),
    ...codeStatements(client),
    ...refreshTokenStatements(client),
    ...revocationStatements(client),
    /**
     * Whether a client secret exists. Call it once the Grant is locked: a rotation that ends the secret locks the Grants
     * before it revokes their tokens, so that one of the two transactions sees the other.
     */
    isSecretLive: async (id: string): Promise<boolean> =>
      (await client.clientSecret.count({ where: { id } })) === 1,
    /** @param kept of the response, where the pair is one to a refresh */
    insertTokens: (pair: StoredTokenPair, kept?: KeptResponse): Promise<void> =>
      insertTokens(client, pair, kept),
  };
}

/** One statement for both tokens. */
async function insertTokens(
  client: Prisma.TransactionClient,
  { grantId, access, refresh, lifetimes }: StoredTokenPair,
  kept: KeptResponse | undefined,
): Promise<void> {
  await client.$executeRaw`
    WITH access AS (
      INSERT INTO access_tokens (token_hash, id, grant_id, scopes, expires_at)
      VALUES (${access.hash}, ${access.id}, ${grantId}, ${[...access.scopes]},
              clock_timestamp() + make_interval(secs => ${lifetimes.accessTokenSeconds}))
    )
    INSERT INTO refresh_tokens (token_hash, grant_id, scopes, expires_at, sealed_answer, idempotency_hash)
    VALUES (${refresh.hash}, ${grantId}, ${[...refresh.scopes]},
            clock_timestamp() + make_interval(secs => ${lifetimes.refreshTokenSeconds}),
            ${kept?.sealedResponse ?? null}, ${kept?.idempotencyHash ?? null})`;
}

export type TokenStore = ReturnType<typeof createTokenStore>;

/** Keeps codes and tokens in PostgreSQL. */
export function createTokenStore(database: Database, prisma: PrismaClient) {
  return {
    inTransaction: transactionsOf(database, prisma, createTokenTransaction),
  };
}
