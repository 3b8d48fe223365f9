/** A response of the gateway itself that is no success. */
export interface GatewayError {
  readonly code: number;
  /** Public text; 403 has none. */
  readonly text?: string;
  /** Stable word for logs and metrics. */
  readonly reason: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection ends with the response. */
  readonly closes?: boolean;
  /** The rest of the body will not come, or not in time: the connection ends at once. */
  readonly bodyIsLost?: boolean;
}

const retrySoon = { 'Retry-After': '1' };

/** 400: two parsers could read the request differently, or one cannot read it at all. */
export function badRequest(reason: string, text: string): GatewayError {
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
  text: 'the service behind the gateway did not answer in time',
  headers: retrySoon,
};

export const upstreamFailed: GatewayError = {
  code: 502,
  reason: 'upstream_failed',
  text: 'the service behind the gateway did not answer',
  headers: retrySoon,
};

/** 502: the upstream said something that cannot be passed on. */
export const malformedUpstreamResponse: GatewayError = { ...upstreamFailed, reason: 'upstream_malformed' };
