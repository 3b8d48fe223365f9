import type { CredentialType } from '@platform/protos/identity';

/** The business and credential behind a request. */
export interface Principal {
  readonly businessId: number;
  readonly credentialType: CredentialType;
  readonly credentialId: string;
  /** Rate limit counter: the API key or the Grant. */
  readonly limitId: string;
  readonly scopes: readonly string[];
  /** End of the credential in milliseconds since 1970; undefined where it never expires. */
  readonly expiresAt: number | undefined;
  /** Origins whose pages may read the response (CORS); empty for an API key. */
  readonly allowedOrigins: readonly string[];
  /** Whether the business is a sandbox. */
  readonly isSandbox: boolean;
}

/** Whose request it is, for records of it. */
export type Attribution = Pick<Principal, 'businessId' | 'credentialType' | 'credentialId' | 'limitId'>;

/**
 * A string that was rotated, deleted or revoked. Kept apart from `Principal`, because it attributes a refused request and
 * gives nothing: no CORS, no header, no usage.
 */
export interface RetiredString extends Attribution {
  /** Identifies the string among all of its credential. */
  readonly id: string;
}

/** Rolling hour of a credential after one of its requests. */
export interface RateLimitState {
  readonly limit: number;
  /** Requests counted, including this one if it was admitted. */
  readonly used: number;
  /** Milliseconds until the oldest counted requests leave the hour. */
  readonly resetMs: number;
  /** Milliseconds until one more request would be admitted. */
  readonly retryMs: number;
}
