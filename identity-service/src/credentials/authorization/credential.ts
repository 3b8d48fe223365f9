import type { Suspended } from '../suspensions/suspension.ts';

/** Kind of a credential, as in passports. */
export type CredentialType = 'secret_key' | 'restricted_key' | 'access_token';

/**
 * A credential with everything that decides about it, read in one snapshot: `generation` is never newer than the rest.
 * Times are milliseconds since 1970 on the database's clock.
 */
export interface Credential {
  /** Stable across rotation; never the secret. */
  readonly id: string;
  readonly type: CredentialType;
  readonly businessId: number;
  /** Of an access token; undefined for an API key. */
  readonly applicationId: string | undefined;
  readonly scopes: readonly string[];
  /** Identifier under which requests are counted. */
  readonly limitId: string;
  /** Requests that any rolling hour admits. */
  readonly limit: number;
  /** Addresses from which it may be used; undefined for any. */
  readonly ipWhitelist: readonly string[] | undefined;
  /** Origins whose pages may read responses to it (CORS); none for an API key. */
  readonly allowedOrigins: readonly string[];
  /** Credential generation of the business. */
  readonly generation: number;
  readonly expiresAt: number | undefined;
  /** Whether its business is frozen. */
  readonly frozen: boolean;
  /** Whether the API key itself is frozen; false for an access token. */
  readonly keyFrozen: boolean;
  /** Whether its business is a sandbox. */
  readonly isSandbox: boolean;
  /** Set for an access token whose application or connection is suspended. */
  readonly suspended: Suspended | undefined;
  /** When it was read. */
  readonly readAt: number;
}

/** Kind of a bearer, by its prefix. */
export type BearerKind = 'api_key' | 'access_token';

/**
 * Finds a credential by any of the hashes under which its secret may be stored.
 * @param endsAt deadline in monotonic milliseconds
 */
export type FindCredential = (
  kind: BearerKind,
  hashes: readonly Buffer[],
  endsAt: number,
) => Promise<Credential | undefined>;
