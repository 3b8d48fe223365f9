import type { Scope } from '../platform/scope.ts';

/** Kinds of credential, as passports name them. */
export type CredentialType = 'secret_key' | 'restricted_key' | 'access_token';

/**
 * A genuine credential with everything that decides about it, read in one snapshot: `generation` is never newer than
 * the rest. Times are milliseconds since 1970 on the database's clock.
 */
export interface Credential {
  /** Stable across rotation; never the secret. */
  readonly id: string;
  readonly type: CredentialType;
  readonly businessId: number;
  readonly scopes: readonly Scope[];
  /** Identifier under which requests are counted. */
  readonly limitId: string;
  /** Requests that any rolling hour admits. */
  readonly limit: number;
  /** Addresses that it may be used from; absent when any will do. */
  readonly ipWhitelist: readonly string[] | undefined;
  /** Origins whose pages may read answers to it (CORS); none for an API key. */
  readonly allowedOrigins: readonly string[];
  /** Credential generation of the business. */
  readonly generation: number;
  readonly expiresAt: number | undefined;
  /** Whether its business lets nobody in. */
  readonly frozen: boolean;
  /** The moment of the reading. */
  readonly readAt: number;
}

/** What a bearer's prefix says that it is. */
export type BearerKind = 'api_key' | 'access_token';

/**
 * Looks a credential up by every hash under which its secret may be stored.
 * @param endsAt monotonic milliseconds after which nobody hears the result
 */
export type FindCredential = (
  kind: BearerKind,
  hashes: readonly Buffer[],
  endsAt: number,
) => Promise<Credential | undefined>;
