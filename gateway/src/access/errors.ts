import type { Refusal } from '@platform/protos/vocabulary';
import { bareChallenge, forbidden, type GatewayError, retrySoon } from '../edge/errors.ts';
import type { Denied, Unauthenticated } from './authorization-result.ts';

const accessTokenPrefix = 'at_';

/** Reason of a 401 in logs and records. */
export type UnauthorizedReason = Extract<Refusal, 'missing' | 'malformed' | 'unknown' | 'expired'>;

const apiKeyTexts = {
  invalid: { text: 'Invalid API key', section: 'invalid_api_key' },
  expired: { text: 'API key has expired', section: 'api_key_expired' },
};

const accessTokenTexts = {
  invalid: { text: 'Invalid access token', section: 'invalid_access_token' },
  expired: { text: 'Access token has expired', section: 'access_token_expired' },
};

/**
 * 401 (contract 7.2, decision 9). The response depends on the form of the credential and on whether it has expired,
 * but not on why it is invalid.
 * @param sent the bearer, or else the whole header
 */
export function unauthorized(reason: UnauthorizedReason, sent: string | undefined): GatewayError {
  const texts = sent?.startsWith(accessTokenPrefix) ? accessTokenTexts : apiKeyTexts;
  const { text, section } = reason === 'expired' ? texts.expired : texts.invalid;
  const challenge = sent === undefined ? bareChallenge : 'Bearer error="invalid_token"';
  return { code: 401, reason, text, section, headers: { 'WWW-Authenticate': challenge } };
}

interface DeniedCredential extends Pick<Denied, 'outcome'> {
  readonly principal: Pick<Denied['principal'], 'credentialType'> | undefined;
}

/** 403 for a genuine credential without permission. */
export function denialOf({ outcome, principal }: DeniedCredential, scope: string): GatewayError {
  switch (outcome) {
    case 'scope_denied':
      return forbidden('insufficient_scope', `Bearer error="insufficient_scope", scope="${scope}"`);
    case 'ip_denied':
      return {
        ...forbidden('ip_not_allowed', bareChallenge),
        ...(principal?.credentialType !== 'CREDENTIAL_TYPE_ACCESS_TOKEN' && {
          section: 'api_key_ip_not_allowed',
        }),
      };
    case 'frozen':
      return forbidden('business_frozen', bareChallenge);
    case 'key_frozen':
    case 'application_suspended':
    case 'connection_suspended':
      return forbidden(outcome, bareChallenge);
  }
}

export const unauthorizedReasons: Readonly<Record<Unauthenticated['outcome'], UnauthorizedReason>> = {
  expired: 'expired',
  invalid: 'unknown',
};

/**
 * 429 (decision 12).
 * @param retryMs milliseconds until another request may be admitted
 */
export function tooManyRequests(retryMs: number, reason: Refusal = 'rate_limited'): GatewayError {
  const retryAfter = String(Math.max(1, Math.ceil(retryMs / 1000)));
  return {
    code: 429,
    reason,
    text: 'Rate limit exceeded',
    section: 'rate_limit_exceeded',
    headers: { 'Retry-After': retryAfter },
  };
}

/** 503: the credential could not be checked, so the response says nothing about it. */
export const authorizationUnavailable: GatewayError = {
  code: 503,
  reason: 'authorization_unavailable',
  text: 'authorization is not available at the moment',
  headers: retrySoon,
};
