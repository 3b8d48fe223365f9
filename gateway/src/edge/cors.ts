import type { originService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { NextFunction, Request, RequestHandler } from 'express';
import { methodsOfApi } from './errors.ts';

/** Origins that any application allows. Applies to requests whose credential is not known (yet). */
export interface AllowedOrigins {
  /** Whether any application allows the origin. Never rejects; false while the list is unknown. */
  has(origin: string): Promise<boolean> | boolean;
}

interface AllowedOriginsDeps {
  readonly client: Pick<GrpcClient<typeof originService>, 'rpc'>;
  /** Of identity-service: no request waits for a dead one. */
  readonly liveness: Pick<Liveness, 'watch'>;
  /** Deadline of a call in milliseconds. */
  readonly deadlineMs: number;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
  readonly logger: Logger;
}

/** Soft and hard TTL of the list in milliseconds: when it is refreshed, and when it is no longer used. */
const freshMs = 1_000;

const maxAgeMs = 30_000;

/**
 * Caches the whole list, so that unknown origins cost nothing: at most one call per second to identity-service, which
 * bounds the list, and none without browser requests.
 */
export function createAllowedOrigins(deps: AllowedOriginsDeps): AllowedOrigins {
  const { client, liveness, deadlineMs, monotonicNow, logger } = deps;
  let list = { version: '', origins: new Set<string>(), readAt: Number.NEGATIVE_INFINITY };
  let requestedAt = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const since = monotonicNow();
    requestedAt = since;
    try {
      const request = { knownVersion: list.version };
      const call = () => client.rpc.ListAllowedOrigins(request, { deadlineMs });
      const { version, origins } = await liveness.watch(call);
      const isSame = version === list.version;
      list = { version, origins: isSame ? list.origins : new Set(origins), readAt: since };
    } catch (error) {
      logger.warn({ err: error }, 'identity-service did not list the allowed origins');
    } finally {
      inFlight = undefined;
    }
  }

  const includes = (origin: string) => monotonicNow() - list.readAt < maxAgeMs && list.origins.has(origin);
  return {
    has: (origin) => {
      if (inFlight === undefined && monotonicNow() - requestedAt >= freshMs) inFlight = refresh();
      // Known origins do not wait for a slow identity-service: their tokens are checked anyway.
      if (inFlight === undefined || includes(origin)) return includes(origin);
      return inFlight.then(() => includes(origin));
    },
  };
}

/*
 * CORS (Fetch Standard section 3.3). Pages may read the API when the application of their access token allows their
 * origin, and public metadata from anywhere. Cookies are not supported: there is no Allow-Credentials.
 */

/** Response headers exposed to pages of an allowed origin. */
const exposed = [
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Sandbox',
].join(', ');

const allowOrigin = 'Access-Control-Allow-Origin';

const exposeHeaders = 'Access-Control-Expose-Headers';

const openHeaders = { [allowOrigin]: '*', [exposeHeaders]: 'ETag, X-Request-Id' };

const openPreflight = { 'Access-Control-Allow-Methods': 'GET, HEAD', 'Access-Control-Allow-Headers': '*' };

/** The same for every path: existing paths are disclosed only with a credential. */
const apiPreflight = {
  'Access-Control-Allow-Methods': methodsOfApi,
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer',
  'Access-Control-Max-Age': '600',
};

const openPaths: ReadonlySet<string> = new Set([
  '/docs/openapi.json',
  '/docs/openapi.yaml',
  '/.well-known/oauth-authorization-server',
]);

/** The OAuth endpoints require a client secret, which a page cannot have. */
const apiPath = /^\/v2\/(?!oauth\/)/;

/**
 * Responds to preflight requests, which carry no credential, and lets pages of allowed origins read the response.
 * Until the credential is known, an origin that any application allows is accepted, so that a page can read its 401.
 */
export function handleCors(origins: AllowedOrigins): RequestHandler {
  return (req, _res, next) => {
    const { headers, path } = req.exchange;
    if (openPaths.has(path)) {
      Object.assign(headers, openHeaders);
      if (isPreflight(req)) return respondToPreflight(req, openPreflight);
      return next();
    }
    const { origin } = req.headers;
    if (origin === undefined || !apiPath.test(path)) return next();
    headers.Vary = 'Origin';
    return decide(req, next, origin, origins.has(origin));
  };
}

async function decide(
  req: Request,
  next: NextFunction,
  origin: string,
  allowed: Promise<boolean> | boolean,
): Promise<void> {
  const isAllowed = await allowed;
  if (isAllowed) allow(req, origin);
  if (isPreflight(req)) respondToPreflight(req, isAllowed ? apiPreflight : {});
  else next();
}

/**
 * Once the credential is known, only the origins of its own application are allowed.
 * @param allowed origins of that application
 */
export function restrictOrigin(req: Request, allowed: readonly string[]): void {
  const { origin } = req.headers;
  const { headers, path } = req.exchange;
  if (origin === undefined || !apiPath.test(path)) return;
  if (allowed.includes(origin)) {
    allow(req, origin);
    return;
  }
  delete headers[allowOrigin];
  delete headers[exposeHeaders];
  // A 304 would let the browser reuse a cached response with its earlier permission.
  delete req.headers['if-none-match'];
}

function allow({ exchange }: Request, origin: string): void {
  exchange.headers[allowOrigin] = origin;
  exchange.headers[exposeHeaders] = exposed;
}

/**
 * Whether a request comes from a page that may not read the response. Browsers do not apply CORS to WebSockets, so such a
 * handshake has to be refused (RFC 6455 section 10.2).
 */
export function isFromForeignPage({ exchange, headers }: Request): boolean {
  return headers.origin !== undefined && exchange.headers[allowOrigin] === undefined;
}

/** A preflight request never has a body; with a body it is an ordinary OPTIONS request. */
function isPreflight({ method, headers }: Request): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) === 0
  );
}

function respondToPreflight({ exchange }: Request, headers: Readonly<Record<string, string>>): void {
  exchange.respond(204, { 'Cache-Control': 'no-store', ...headers });
}
