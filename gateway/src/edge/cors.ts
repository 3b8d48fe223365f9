import type { originService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { NextFunction, Request, RequestHandler } from 'express';
import { methodsOfApi } from './errors.ts';

/** Origins that some application allows; all there is to judge a request without a credential by. */
export interface AllowedOrigins {
  /** Whether some application allows it. Never rejects; while nothing is known, none does. */
  has(origin: string): Promise<boolean> | boolean;
}

interface AllowedOriginsDeps {
  readonly client: Pick<GrpcClient<typeof originService>, 'rpc'>;
  /** Milliseconds after which a call is given up. */
  readonly deadlineMs: number;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
  readonly logger: Logger;
}

/** Age in milliseconds at which the list is asked for again, and at which it counts no longer. */
const freshMs = 1_000;

const keptMs = 30_000;

/**
 * Keeps the whole list, so that unknown origins cost nothing, however many come: at most one call a second goes to
 * identity-service, which bounds the list, and none while no browser calls.
 */
export function createAllowedOrigins(deps: AllowedOriginsDeps): AllowedOrigins {
  const { client, deadlineMs, monotonicNow, logger } = deps;
  let list = { version: '', origins: new Set<string>(), readAt: Number.NEGATIVE_INFINITY };
  let askedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const since = monotonicNow();
    askedAt = since;
    try {
      const request = { knownVersion: list.version };
      const { version, origins } = await client.rpc.ListAllowedOrigins(request, { deadlineMs });
      const isSame = version === list.version;
      list = { version, origins: isSame ? list.origins : new Set(origins), readAt: since };
    } catch (error) {
      logger.warn({ err: error }, 'identity-service did not list the allowed origins');
    } finally {
      running = undefined;
    }
  }

  const includes = (origin: string) => monotonicNow() - list.readAt < keptMs && list.origins.has(origin);
  return {
    has: (origin) => {
      if (running === undefined && monotonicNow() - askedAt >= freshMs) running = refresh();
      // Pages that are known do not wait: identity-service may be slow, and their tokens are judged anyway.
      if (running === undefined || includes(origin)) return includes(origin);
      return running.then(() => includes(origin));
    },
  };
}

/*
 * CORS (Fetch Standard section 3.3). Pages may read the API when the application of their access token allows their
 * origin, and public metadata from anywhere; nothing else. Cookies never count: there is no Allow-Credentials.
 */

/** Response headers that pages of an allowed origin may read. */
const exposed = [
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

const allowOrigin = 'Access-Control-Allow-Origin';

const exposeHeaders = 'Access-Control-Expose-Headers';

const openHeaders = { [allowOrigin]: '*', [exposeHeaders]: 'ETag, X-Request-Id' };

const openPreflight = { 'Access-Control-Allow-Methods': 'GET, HEAD', 'Access-Control-Allow-Headers': '*' };

/** The same for every path: which paths exist is told with a credential only. */
const apiPreflight = {
  'Access-Control-Allow-Methods': methodsOfApi,
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
  'Access-Control-Max-Age': '600',
};

const openPaths: ReadonlySet<string> = new Set([
  '/docs/openapi.json',
  '/docs/openapi.yaml',
  '/.well-known/oauth-authorization-server',
]);

/** The OAuth endpoints take a client secret, which no page has. */
const apiPath = /^\/v2\/(?!oauth\/)/;

/**
 * Responds to preflight requests, which carry no credential, and lets pages of allowed origins read the response. Until
 * the credential is known, an origin that any application allows will do, so that a page can read why it was refused.
 */
export function crossOrigin(origins: AllowedOrigins): RequestHandler {
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

/** The credential is known: from here on its own application decides. @param allowed origins of that application */
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
  // With a 304 the browser would take what it has kept, with the permission of that time.
  delete req.headers['if-none-match'];
}

function allow({ exchange }: Request, origin: string): void {
  exchange.headers[allowOrigin] = origin;
  exchange.headers[exposeHeaders] = exposed;
}

/** A preflight request never has a body; what has one is a request like any other. */
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
