import type { Scope } from '../../authorization/scope.ts';
import type { GrantTransaction } from '../../grants/grant-store.ts';
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
