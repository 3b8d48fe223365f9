import { expect } from '@jest/globals';

/** An id that the gateway gave a request. */
export const requestId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** Sections of the page about errors by status, except those of 401, 403 and 429. */
const sections: Readonly<Record<number, string>> = {
  400: 'bad_request',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'unread',
  409: 'conflict',
  411: 'unread',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  421: 'misdirected_request',
  431: 'unread',
  500: 'internal_server_error',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
};

/** An error response of the gateway as `comparableResponse` gives it, whole: these headers, each once, and no others. */
export const errorResponse = (status: number, text: string, headers: Record<string, unknown> = {}) => ({
  status,
  text,
  headers: {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...(sections[status] !== undefined && { Link: `</docs/errors#${sections[status]}>; rel="help"` }),
    ...headers,
  },
});

/** Headers about the limit in every counted response. */
export const rateLimit = (limit = 10_000, remaining: unknown = expect.any(Number)) => {
  const left = typeof remaining === 'number' ? `${remaining}` : '\\d+';
  return {
    'RateLimit-Policy': `"hour";q=${limit};w=3600`,
    RateLimit: expect.stringMatching(new RegExp(`^"hour";r=${left};t=[1-9]\\d{0,3}$`)),
    'X-RateLimit-Limit': `${limit}`,
    'X-RateLimit-Remaining': expect.stringMatching(new RegExp(`^${left}$`)),
    'X-RateLimit-Reset': expect.stringMatching(/^[1-9]\d{0,3}$/),
  };
};

/** The bodies of contract 7.2. */
export const errorBodies = {
  invalidKey: '{"error":"Invalid API key","status":"Unauthorized","code":401}',
  invalidToken: '{"error":"Invalid access token","status":"Unauthorized","code":401}',
  expiredKey: '{"error":"API key has expired","status":"Unauthorized","code":401}',
  forbidden: '{"status":"Forbidden","code":403}',
  rateLimited: '{"error":"Rate limit exceeded","status":"Too Many Requests","code":429}',
  notFound: '{"error":"not found","status":"Not Found","code":404}',
  methodNotAllowed: '{"error":"method not allowed","status":"Method Not Allowed","code":405}',
  lengthRequired: '{"error":"Content-Length is required","status":"Length Required","code":411}',
  headersTooLarge:
    '{"error":"the request headers are too large","status":"Request Header Fields Too Large","code":431}',
  badGateway: '{"error":"the service behind the gateway did not respond","status":"Bad Gateway","code":502}',
  unavailable:
    '{"error":"authorization is not available at the moment","status":"Service Unavailable","code":503}',
  gatewayTimeout:
    '{"error":"the service behind the gateway did not respond in time","status":"Gateway Timeout","code":504}',
} as const;

/** Body of an error of an OAuth endpoint of identity-service. */
export const oauthError = (error: string, description: unknown = expect.any(String)) => ({
  error,
  error_description: description,
  error_uri: expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/docs/errors#${error}$`)),
});

const anchors = new Map<string, string>([
  [errorBodies.invalidKey, 'invalid_api_key'],
  [errorBodies.expiredKey, 'api_key_expired'],
  [errorBodies.invalidToken, 'invalid_access_token'],
  [errorBodies.rateLimited, 'rate_limit_exceeded'],
]);

/** Link to the documentation of an error: the anchor reveals no more than the body. */
export const help = (body: string, docs = '/docs/errors') => ({
  Link: `<${docs}#${anchors.get(body)}>; rel="help"`,
});
