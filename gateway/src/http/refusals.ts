import type { RateLimitState } from '../admission/gatekeeper.ts';
import type { Refused } from '../authorization/answer.ts';
import type { GatewayError } from './answer-error.ts';

const accessTokenPrefix = 'at_';

/** 401 (contract 7.2, decision 9): the text depends on what was sent, never on why it failed. */
export function unauthorized(bearer: string | undefined, expired = false): GatewayError {
  const isToken = bearer?.startsWith(accessTokenPrefix) ?? false;
  const invalidText = isToken ? 'Invalid access token' : 'Invalid API key';
  const expiredText = isToken ? 'Access token has expired' : 'API key has expired';
  const challenge = bearer === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
  return {
    code: 401,
    reason: expired ? 'expired' : 'invalid',
    text: expired ? expiredText : invalidText,
    headers: { 'WWW-Authenticate': challenge },
  };
}

/** 403: the body is fixed by the contract, so the help stands in headers (decision 14). */
function forbidden(reason: string, challenge: string, docsUrl: string): GatewayError {
  return {
    code: 403,
    reason,
    headers: { 'WWW-Authenticate': challenge, Link: `<${docsUrl}#${reason}>; rel="help"` },
  };
}

/** What a refused caller is told. */
export function refusalOf(answer: Refused, bearer: string, scope: string, docsUrl: string): GatewayError {
  if (answer.outcome === 'scope_denied') {
    return forbidden('insufficient_scope', `Bearer error="insufficient_scope", scope="${scope}"`, docsUrl);
  }
  if (answer.outcome === 'ip_denied') return forbidden('ip_not_allowed', 'Bearer', docsUrl);
  return unauthorized(bearer, answer.outcome === 'expired');
}

/** 429 (decision 12). */
export function tooManyRequests({ retryMs }: RateLimitState): GatewayError {
  const retryAfter = String(Math.max(1, Math.ceil(retryMs / 1000)));
  return {
    code: 429,
    reason: 'rate_limited',
    text: 'Rate limit exceeded',
    headers: { 'Retry-After': retryAfter },
  };
}

/** 503: nothing is known about the credential, so nothing is said about it. */
export const authorizationUnavailable: GatewayError = {
  code: 503,
  reason: 'authorization_unavailable',
  text: 'authorization is not available at the moment',
  headers: { 'Retry-After': '1' },
};
