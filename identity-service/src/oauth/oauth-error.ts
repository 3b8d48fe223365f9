import { type Throttle, type ThrottleRule, throttleKey } from '../platform/throttle.ts';
import type { OAuthReason } from '../traffic/oauth-reason.ts';

/** Codes of RFC 6749 (4.1.2.1, 5.2), OpenID Connect Core (3.1.2.6) and contract 7.1. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'server_error'
  | 'temporarily_unavailable';

/** Default reasons by error code. */
const reasons: Readonly<Partial<Record<OAuthErrorCode, OAuthReason>>> = {
  invalid_scope: 'oauth_scopes',
  access_denied: 'approval_denied',
  login_required: 'approval_needs_page',
  consent_required: 'approval_needs_page',
  interaction_required: 'approval_needs_page',
};

/** An error response of an OAuth endpoint: its code, and a public error_description. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  /** More specific than the response, and shown to the owner of the application only. */
  readonly reason: OAuthReason;

  constructor(
    code: OAuthErrorCode,
    description: string,
    reason: OAuthReason = reasons[code] ?? 'oauth_parameters',
  ) {
    super(description);
    this.code = code;
    this.reason = reason;
  }
}

/** The authorization server, as its responses name it. */
export interface AuthorizationServer {
  /** Public origin of the platform. */
  readonly issuer: string;
  /** URL of the page about errors. */
  readonly errorPage: string;
}

/** Sections of the page about errors that are not named after their code. */
const sections: Readonly<Partial<Record<OAuthErrorCode, string>>> = {
  consent_required: 'login_required',
  interaction_required: 'login_required',
  request_uri_not_supported: 'request_not_supported',
};

/** Parameters of an error response (RFC 6749 sections 4.1.2.1 and 5.2). */
export function errorParameters(
  { errorPage }: AuthorizationServer,
  error: OAuthErrorCode,
  description: string,
) {
  const error_uri = `${errorPage}#${sections[error] ?? error}`;
  return { error, error_description: description, error_uri };
}

/** One response for an unknown client, a wrong secret and a wrong address. */
export function clientAuthenticationFailed(reason: OAuthReason): OAuthError {
  return new OAuthError('invalid_client', 'client authentication failed', reason);
}

/** Too many requests of one address or client. */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too many requests: wait for the seconds in Retry-After');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A token is revoked, but gateways have not confirmed. RFC 7009 section 2.2.1: after 503 the client assumes that it is still valid, and retries. */
export class RevocationUnconfirmed extends Error {
  override readonly name = 'RevocationUnconfirmed';

  constructor() {
    super('revoked; gateways confirm within 30 s');
  }
}

/** Counts a request under a rule. @param subject a client id, or `addressBlock` of an address @throws ThrottledError above its limit */
export async function checkThrottle(throttle: Throttle, rule: ThrottleRule, subject: string): Promise<void> {
  const { name, limit, windowSeconds } = rule;
  const verdict = await throttle.hit(throttleKey(name, subject), limit, windowSeconds);
  if (!verdict.allowed) throw new ThrottledError(verdict.retryAfterSeconds);
}
