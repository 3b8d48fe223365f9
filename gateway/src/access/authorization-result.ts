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
  /** Monotonic milliseconds at which the request began. */
  readonly beganAt: number;
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

/** What is known of a genuine credential. It is kept, and holds as long as it is vouched for. */
interface Verified {
  readonly principal: Principal;
  /** Requests that any rolling hour admits. */
  readonly limit: number;
  /** Credential generation of the business when identity-service read the credential. */
  readonly generation: number;
  /** Milliseconds since 1970 at which credential or passport end, whichever is first. */
  readonly validUntil: number;
  /** Moment (of the gateway's sequence) at which identity-service was asked. */
  readonly askedAt: number;
}

/** The request may go on. */
export interface Allowed extends Verified {
  readonly outcome: 'allowed';
  readonly passport: string;
}

/** The credential is genuine and may not do this. Such requests count like those that go on. */
export interface Denied extends Verified {
  readonly outcome: 'frozen' | 'ip_denied' | 'scope_denied';
}

/** An answer that may be kept. */
export type Kept = Allowed | Denied;

/** There is no such credential. */
export interface Invalid {
  readonly outcome: 'invalid';
  readonly principal?: undefined;
}

/** The credential is genuine, and its time is over. */
export interface Expired {
  readonly outcome: 'expired';
  readonly principal?: Principal | undefined;
}

/** There is no credential, or none any longer. */
export type Refused = Invalid | Expired;

/** identity-service did not answer in time: nothing is known. */
export interface Unavailable {
  readonly outcome: 'unavailable';
}

export type Answer = Kept | Refused | Unavailable;
