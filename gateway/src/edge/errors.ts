import type { InvalidReason, Refusal } from '@platform/protos/vocabulary';

/** Error code of Node's HTTP parser, such as HPE_INVALID_VERSION. */
export type ParserCode = `HPE_${string}` | `ERR_${string}`;

/** An error response of the gateway itself. */
export interface GatewayError {
  readonly code: number;
  /** Public text; absent for 403. */
  readonly text?: string;
  /** Public text at the OAuth endpoints, where each error has one (RFC 6749). Default: `text`. */
  readonly oauthText?: string;
  /** For logs, metrics and records. */
  readonly reason: Refusal | InvalidReason | ParserCode;
  /** Section of the page about errors; default: that of the status, in the API. */
  readonly section?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Close the connection after the response. */
  readonly closes?: boolean;
  /** The rest of the body will not arrive in time: close the connection at once. */
  readonly bodyIsLost?: boolean;
}

export const retrySoon = { 'Retry-After': '1' };

/** 400: the request is malformed or ambiguous. */
export function badRequest(reason: Refusal, text: string): GatewayError {
  return { code: 400, reason, text, closes: true };
}

/** 421: the target is in absolute-form and names another host. */
export const misdirected: GatewayError = {
  code: 421,
  reason: 'host_header',
  text: 'the request target names another host',
  closes: true,
};

export function methodNotAllowed(allow: string): GatewayError {
  return { code: 405, reason: 'method', text: 'method not allowed', headers: { Allow: allow } };
}

/** Methods of the API, for requests rejected before routing. */
export const methodsOfApi = 'GET, HEAD, POST, PUT, PATCH, DELETE';

export function bodyTooLarge(maxBytes: number): GatewayError {
  return { code: 413, reason: 'body_too_large', text: `the body is larger than ${maxBytes} bytes` };
}

export const requestTimeout: GatewayError = {
  code: 408,
  reason: 'body_too_slow',
  text: 'the request did not arrive in time',
  bodyIsLost: true,
};

/** Ends a stream whose credential is no longer valid. The status has been sent, so this appears in logs only. */
export const accessEnded: GatewayError = { code: 401, reason: 'access_ended', text: 'access has ended' };

export const unexpectedError: GatewayError = { code: 500, reason: 'unexpected', text: 'unexpected error' };

/** 503: the event loop of this gateway is overloaded. */
export const overloaded: GatewayError = {
  code: 503,
  reason: 'overloaded',
  text: 'the service is busy',
  headers: retrySoon,
};

/** 503: this gateway is shutting down, so the request cannot wait longer for an event. */
export const gatewayStopping: GatewayError = { ...overloaded, reason: 'stopping', closes: true };

/** 503: request bodies fill the memory of the gateway, or the client's share of it. */
export const tooManyBodies: GatewayError = {
  code: 503,
  reason: 'bodies_saturated',
  text: 'too many requests are being received',
  headers: retrySoon,
};

/** 503: all slots at the upstream are in use, or the client's share of them. */
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

/** 502: the upstream's response cannot be relayed. */
export const malformedUpstreamResponse: GatewayError = { ...upstreamFailed, reason: 'upstream_malformed' };

/** A challenge has at least one parameter (RFC 6750 section 3). */
export const bareChallenge = 'Bearer realm="API"';

/** 403: the contract fixes the body, so the help is in headers (decision 14). */
export function forbidden(reason: Refusal, challenge: string): GatewayError {
  return { code: 403, reason, section: reason, headers: { 'WWW-Authenticate': challenge } };
}

/** 403 for an API request that the client sent over http, whether or not its credential is valid. */
export const plainHttp: GatewayError = {
  ...forbidden('plain_http', bareChallenge),
  oauthText: 'the request was sent over http: use https',
};

/** 403: a handshake of a page that may not read responses to this credential. */
export const originNotAllowed: GatewayError = {
  code: 403,
  reason: 'origin_not_allowed',
  section: 'origin_not_allowed',
};

/** Sections of the page about errors, by status. 401 and 429 name their own; a 403 of business-service is about a ban. */
const sections: Readonly<Record<number, string>> = {
  400: 'bad_request',
  403: 'business_banned',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'unread',
  409: 'conflict',
  410: 'gone',
  411: 'unread',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  421: 'misdirected_request',
  422: 'unprocessable',
  431: 'unread',
  500: 'internal_server_error',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
};

/** Value of a Link header: the section of the page about errors for a status; undefined for a status without one. */
export function help(docsUrl: string, status: number, section = sections[status]): string | undefined {
  return section === undefined ? undefined : `<${docsUrl}#${section}>; rel="help"`;
}
