import type { Span } from '@platform/service-kit/telemetry/span.ts';
import type { Principal, RetiredString } from '../principal.ts';
import type { ConnectionBearer } from './connection-bearer.ts';

/** One request's query to identity-service. Results are cached by bearer, client IP and scope. */
export interface AuthorizationQuery {
  /** The string after "Bearer ". */
  readonly bearer: string;
  /** The same bearer as its connection remembers it, with its cache key; absent outside of a connection. */
  readonly known?: ConnectionBearer;
  readonly clientIp: string;
  /** Empty when the route requires authentication only. */
  readonly requiredScope: string;
  /** Request id for logs. A shared or cached result was fetched under the id of an earlier request. */
  readonly requestId: string;
  /** Monotonic milliseconds at which the request began. */
  readonly startedAt: number;
  /** Span of the request; absent without tracing. A shared or cached result was fetched under an earlier request's span. */
  readonly span?: Span | undefined;
}

/** Facts about a genuine credential. Cacheable for as long as Redis confirms the generation. */
interface Verified {
  readonly principal: Principal;
  /** Requests per rolling hour. */
  readonly limit: number;
  /** Credential generation of the business when identity-service read the credential. */
  readonly generation: number;
  /** Expiry of the credential or the passport, whichever is first, in milliseconds since 1970. */
  readonly validUntil: number;
  /** Value of the gateway's sequence when identity-service was called. */
  readonly requestedAt: number;
}

/** The request may be forwarded. */
export interface Allowed extends Verified {
  readonly outcome: 'allowed';
  /** For the platform's own services. */
  readonly passport: string;
  /** For the operator's services, by upstream. */
  readonly upstreamPassports: ReadonlyMap<string, string>;
}

/** The credential is genuine but not permitted to do this (403). Counted like allowed requests. */
export interface Denied extends Verified {
  readonly outcome:
    | 'frozen'
    | 'key_frozen'
    | 'application_suspended'
    | 'connection_suspended'
    | 'ip_denied'
    | 'scope_denied';
}

/** A result that may be cached. */
export type CacheableResult = Allowed | Denied;

/** No such credential. */
export interface Invalid {
  readonly outcome: 'invalid';
  readonly principal?: undefined;
  /** Where the string was one. */
  readonly retired?: RetiredString | undefined;
}

/** The credential has expired. */
interface Expired {
  readonly outcome: 'expired';
  readonly principal?: Principal | undefined;
}

/** No valid credential (401). */
export type Unauthenticated = Invalid | Expired;

/** identity-service did not respond in time. */
export interface Unavailable {
  readonly outcome: 'unavailable';
}

export type AuthorizationResult = CacheableResult | Unauthenticated | Unavailable;
