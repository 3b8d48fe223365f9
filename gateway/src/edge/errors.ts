import type { Refusal } from '@platform/protos/vocabulary';
import type { ErrorRequestHandler } from 'express';
import type { Denied, Refused } from '../access/authorization-result.ts';

/** Code of an error of Node's HTTP parser, as HPE_INVALID_VERSION. */
export type ParserCode = `HPE_${string}` | `ERR_${string}`;

/** A response of the gateway itself that is no success. */
export interface GatewayError {
  readonly code: number;
  /** Public text; 403 has none. */
  readonly text?: string;
  /** For logs, metrics and records. */
  readonly reason: Refusal | ParserCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection ends with the response. */
  readonly closes?: boolean;
  /** The rest of the body will not come, or not in time: the connection ends at once. */
  readonly bodyIsLost?: boolean;
}

const retrySoon = { 'Retry-After': '1' };

/** 400: two parsers could read the request differently, or one cannot read it at all. */
export function badRequest(reason: Refusal, text: string): GatewayError {
  return { code: 400, reason, text, closes: true };
}

/** 405 with the methods that there are. */
export function methodNotAllowed(allow: string): GatewayError {
  return { code: 405, reason: 'method', text: 'method not allowed', headers: { Allow: allow } };
}

/** Methods of the API as a whole, for requests that are refused before their route is known. */
export const methodsOfApi = 'GET, HEAD, POST, PATCH';

export function bodyTooLarge(maxBytes: number): GatewayError {
  return { code: 413, reason: 'body_too_large', text: `the body is larger than ${maxBytes} bytes` };
}

export const requestTimeout: GatewayError = {
  code: 408,
  reason: 'body_too_slow',
  text: 'the request did not arrive in time',
  bodyIsLost: true,
};

/** A stream whose credential has ended; its head is out, so this is a word for the log only. */
export const accessEnded: GatewayError = { code: 401, reason: 'access_ended', text: 'access has ended' };

export const unexpectedError: GatewayError = { code: 500, reason: 'unexpected', text: 'unexpected error' };

/** 503: this gateway has more to do than it gets done. */
export const overloaded: GatewayError = {
  code: 503,
  reason: 'overloaded',
  text: 'the service is busy',
  headers: retrySoon,
};

/** 503: the gateway has taken in as much as it can hold, or as this client may have of it. */
export const tooManyBodies: GatewayError = {
  code: 503,
  reason: 'bodies_saturated',
  text: 'too many requests are being received',
  headers: retrySoon,
};

/** 503: the client, or everybody together, has as many requests under way at the upstream as may be. */
export const upstreamSaturated: GatewayError = {
  code: 503,
  reason: 'upstream_saturated',
  text: 'the service behind the gateway is busy',
  headers: retrySoon,
};

export const upstreamTimeout: GatewayError = {
  code: 504,
  reason: 'upstream_timeout',
  text: 'the service behind the gateway did not respond in time',
  headers: retrySoon,
};

export const upstreamFailed: GatewayError = {
  code: 502,
  reason: 'upstream_failed',
  text: 'the service behind the gateway did not respond',
  headers: retrySoon,
};

/** 502: the upstream said something that cannot be passed on. */
export const malformedUpstreamResponse: GatewayError = { ...upstreamFailed, reason: 'upstream_malformed' };

const accessTokenPrefix = 'at_';

/** Why a credential is none, in logs and records. */
export type CredentialFault = Extract<Refusal, 'missing' | 'malformed' | 'unknown' | 'expired'>;

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
function forbidden(reason: Refusal, challenge: string, docsUrl: string): GatewayError {
  return { code: 403, reason, headers: { 'WWW-Authenticate': challenge, Link: help(docsUrl, reason) } };
}

/** What a genuine credential is told that may not do this. */
export function denialOf({ outcome }: Pick<Denied, 'outcome'>, scope: string, docsUrl: string): GatewayError {
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
export function tooManyRequests(
  retryMs: number,
  docsUrl: string,
  reason: Refusal = 'rate_limited',
): GatewayError {
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

/** Express knows an error handler by its four parameters. */
export const failUnexpected: ErrorRequestHandler = (error, req, _res, _next) => req.exchange.fail(error);
