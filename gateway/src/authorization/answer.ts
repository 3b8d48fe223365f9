import type { CredentialType } from '@platform/protos/identity';

/** What the gateway asks identity-service about a request. */
export interface Question {
  /** The string behind "Bearer ". */
  readonly bearer: string;
  readonly clientIp: string;
  /** Empty when authentication alone is asked for. */
  readonly requiredScope: string;
  /** Of the request that asks; no part of the question. A shared or kept answer was asked for under the id of an earlier one. */
  readonly requestId: string;
}

/** Who a credential speaks for. */
export interface Principal {
  readonly businessId: number;
  readonly credentialType: CredentialType;
  readonly credentialId: string;
  /** Requests are counted under this: the API key or the Grant. */
  readonly limitId: string;
  /** Origins whose pages may read answers to it (CORS); none for an API key. */
  readonly allowedOrigins: readonly string[];
}

/** The request may go on, as long as the answer is vouched for. */
export interface Allowed {
  readonly outcome: 'allowed';
  readonly principal: Principal;
  /** Requests that any rolling hour admits. */
  readonly limit: number;
  /** Credential generation of the business when identity-service read the credential. */
  readonly generation: number;
  /** Milliseconds since 1970 at which credential or passport end, whichever is first. */
  readonly validUntil: number;
  readonly passport: string;
  /** Moment (of the gateway's sequence) at which identity-service was asked. */
  readonly askedAt: number;
}

/** The request may not go on. */
export interface Refused {
  readonly outcome: 'invalid' | 'expired' | 'frozen' | 'ip_denied' | 'scope_denied';
  readonly principal?: Principal | undefined;
}

/** identity-service did not answer in time: nothing is known. */
export interface Unavailable {
  readonly outcome: 'unavailable';
}

export type Answer = Allowed | Refused | Unavailable;
