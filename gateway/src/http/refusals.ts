import type { Denied, Refused } from '../authorization/answer.ts';
import type { GatewayError } from './gateway-error.ts';

const accessTokenPrefix = 'at_';

/** Why a credential is none, in logs and records. */
export type CredentialFault = 'missing' | 'malformed' | 'unknown' | 'expired';

const apiKeyTexts = {
  invalid: { text: 'Invalid API key', anchor: 'invalid_api_key' },
  expired: { text: 'API key has expired', anchor: 'api_key_expired' },
};
const accessTokenTexts = {
  invalid: { text: 'Invalid access token', anchor: 'invalid_access_token' },
  expired: { text: 'Access token has expired', anchor: 'access_token_expired' },
};

/**
 * 401 (contract 7.2, decision 9): all that the caller reads depends on what was sent and on whether it has expired,
 * never on why it is none. `sent`: the bearer, or else the whole header.
 */
export function unauthorized(
  reason: CredentialFault,
  sent: string | undefined,
  docsUrl: string,
): GatewayError {
  const texts = sent?.startsWith(accessTokenPrefix) ? accessTokenTexts : apiKeyTexts;
  const { text, anchor } = reason === 'expired' ? texts.expired : texts.invalid;
  const challenge = sent === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
  return { code: 401, reason, text, headers: { 'WWW-Authenticate': challenge, Link: help(docsUrl, anchor) } };
}

/** 403: the body is fixed by the contract, so the help stands in headers (decision 14). */
function forbidden(reason: string, challenge: string, docsUrl: string): GatewayError {
  return { code: 403, reason, headers: { 'WWW-Authenticate': challenge, Link: help(docsUrl, reason) } };
}

/** What a genuine credential is told that may not do this. */
export function denialOf({ outcome }: Denied, scope: string, docsUrl: string): GatewayError {
  switch (outcome) {
    case 'scope_denied':
      return forbidden('insufficient_scope', `Bearer error="insufficient_scope", scope="${scope}"`, docsUrl);
    case 'ip_denied':
      return forbidden('ip_not_allowed', 'Bearer', docsUrl);
    case 'frozen':
      return forbidden('business_frozen', 'Bearer', docsUrl);
  }
}

/** Why a credential is none, as the logs name it. */
export const faultOf: Readonly<Record<Refused['outcome'], CredentialFault>> = {
  expired: 'expired',
  invalid: 'unknown',
};

/** 429 (decision 12). @param retryMs milliseconds until another request may be admitted */
export function tooManyRequests(retryMs: number, docsUrl: string, reason = 'rate_limited'): GatewayError {
  const retryAfter = String(Math.max(1, Math.ceil(retryMs / 1000)));
  return {
    code: 429,
    reason,
    text: 'Rate limit exceeded',
    headers: { 'Retry-After': retryAfter, Link: help(docsUrl, 'rate_limit_exceeded') },
  };
}

function help(docsUrl: string, anchor: string): string {
  return `<${docsUrl}#${anchor}>; rel="help"`;
}

/** 503: nothing is known about the credential, so nothing is said about it. */
export const authorizationUnavailable: GatewayError = {
  code: 503,
  reason: 'authorization_unavailable',
  text: 'authorization is not available at the moment',
  headers: { 'Retry-After': '1' },
};
