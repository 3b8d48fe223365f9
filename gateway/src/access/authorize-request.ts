import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Request, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { restrictOrigin } from '../edge/cors.ts';
import type { GatewayError } from '../edge/errors.ts';
import type { Exchange } from '../edge/exchange.ts';
import { createDeferQueue } from '../edge/overload.ts';
import type { Principal } from '../principal.ts';
import { isCounted, isPublic, type RouteMatch, requiredScopeOf } from '../routes.ts';
import type {
  Allowed,
  AuthorizationQuery,
  CacheableResult,
  Unauthenticated,
} from './authorization-result.ts';
import type { AccessCheck, Recheck } from './check-access.ts';
import { bearerOf, connectionBearer } from './connection-bearer.ts';
import {
  authorizationUnavailable,
  denialOf,
  tooManyRequests,
  type UnauthorizedReason,
  unauthorized,
  unauthorizedReasons,
} from './errors.ts';
import { setRateLimitHeaders } from './rate-limit-headers.ts';

/*
 * Throttles clients that guess credentials or keep sending a deleted key. Each gateway counts on its own. Valid
 * credentials from the same address are not affected.
 */

/** Counts unknown credentials by network: an IPv4 address or an IPv6 /64. */
interface UnknownCredentialLimit {
  /** Takes a token of the bucket. Returns 0, or the milliseconds until the next token when the bucket is empty. */
  count(network: string): number;
}

interface UnknownCredentialLimitOptions {
  readonly perMinute: number;
  /** Networks held in memory. */
  readonly maxNetworks: number;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
}

interface Bucket {
  tokens: number;
  updatedAt: number;
}

/** A token bucket per network. A full bucket holds one minute of requests and refills at a constant rate. */
export function createUnknownCredentialLimit(options: UnknownCredentialLimitOptions): UnknownCredentialLimit {
  const { perMinute, maxNetworks, monotonicNow } = options;
  const perMs = perMinute / 60_000;
  const buckets = new LRUCache<string, Bucket>({ max: maxNetworks });
  return {
    count: (network) => {
      const now = monotonicNow();
      const bucket = buckets.get(network) ?? { tokens: perMinute, updatedAt: now };
      bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.updatedAt) * perMs);
      bucket.updatedAt = now;
      buckets.set(network, bucket);
      if (bucket.tokens < 1) return (1 - bucket.tokens) / perMs;
      bucket.tokens--;
      return 0;
    },
  };
}

function setPrincipal(req: Request, principal: Principal): void {
  const { exchange } = req;
  exchange.principal = principal;
  restrictOrigin(req, principal.allowedOrigins);
  if (principal.isSandbox) exchange.headers['X-Sandbox'] = 'true';
}

/** Stores whose request it is. */
function attribute(req: Request, authorization: CacheableResult | Unauthenticated): void {
  if (authorization.principal !== undefined) setPrincipal(req, authorization.principal);
  if (authorization.outcome === 'invalid') req.exchange.retired = authorization.retired;
}

export interface AuthorizeRequestDeps {
  readonly checkAccess: AccessCheck;
  /** The same without counting the request. */
  readonly peekAccess: AccessCheck;
  readonly recheck: Recheck;
  readonly unknownCredentialLimit: UnknownCredentialLimit;
}

/** Authenticates, authorizes and counts in one step, since one Redis round trip does the last two. */
export function authorizeRequest(deps: AuthorizeRequestDeps): RequestHandler {
  const { checkAccess, peekAccess, recheck } = deps;
  const defer = createDeferQueue();
  const accessCheckOf = (route: RouteMatch | undefined) => (isCounted(route) ? checkAccess : peekAccess);

  async function refuse(exchange: Exchange, reason: UnauthorizedReason, sent: string | undefined) {
    await defer();
    exchange.refuse(unauthenticated(deps, exchange.clientIp, reason, sent));
  }

  return async (req, _res, next) => {
    const { exchange } = req;
    const { clientIp, requestId, route, startedAt, span } = exchange;
    if (route !== undefined && isPublic(route)) return next();
    const requiredScope = requiredScopeOf(route);
    const header = req.headers.authorization;
    const known = connectionBearer(req.socket, header);
    if (known === undefined) return refuse(exchange, unparsedReason(header), bearerOf(header) ?? header);
    const { bearer } = known;
    const query = { bearer, known, clientIp, requiredScope, requestId, startedAt, span };
    const decision = await accessCheckOf(route)(query);
    if (decision.kind === 'unavailable') return exchange.refuse(authorizationUnavailable);
    attribute(req, decision.authorization);
    if (decision.kind === 'unauthenticated') {
      return refuse(exchange, unauthorizedReasons[decision.authorization.outcome], bearer);
    }
    exchange.rateLimit = decision.rateLimit;
    setRateLimitHeaders(exchange.headers, decision.rateLimit);
    switch (decision.kind) {
      case 'limited':
        return exchange.refuse(tooManyRequests(decision.rateLimit.retryMs));
      case 'denied':
        return exchange.refuse(denialOf(decision.authorization, requiredScope));
      case 'admitted': {
        const passport = passportFor(route, decision.authorization);
        if (passport === undefined) return exchange.refuse(authorizationUnavailable);
        exchange.passport = passport;
        exchange.recheck = refusalCheck(recheck(query, decision.authorization), query);
        next();
      }
    }
  };
}

/** The passport for the upstream of a route; undefined where identity-service does not know that upstream (yet). */
function passportFor(
  route: RouteMatch | undefined,
  { passport, upstreamPassports }: Allowed,
): string | undefined {
  const isOwn = route?.kind === 'found' && route.isOwn;
  return isOwn ? upstreamPassports.get(route.upstream) : passport;
}

/** Checks a request in progress again: resolves to the refusal that it would get now. */
function refusalCheck(
  check: ReturnType<Recheck>,
  { bearer, requiredScope }: AuthorizationQuery,
): () => Promise<GatewayError | undefined> {
  return async () => {
    const ended = await check();
    if (ended === undefined) return undefined;
    switch (ended.outcome) {
      case 'unavailable':
        return authorizationUnavailable;
      case 'expired':
      case 'invalid':
        return unauthorized(unauthorizedReasons[ended.outcome], bearer);
      default:
        return denialOf(ended, requiredScope);
    }
  };
}

function unparsedReason(header: string | undefined): UnauthorizedReason {
  return header === undefined ? 'missing' : 'malformed';
}

/** 401, or 429 for a network with too many unknown credentials. */
function unauthenticated(
  { unknownCredentialLimit }: AuthorizeRequestDeps,
  clientIp: string,
  reason: UnauthorizedReason,
  sent: string | undefined,
): GatewayError {
  const isGuess = reason === 'malformed' || reason === 'unknown';
  const retryMs = isGuess ? unknownCredentialLimit.count(addressBlock(clientIp)) : 0;
  if (retryMs > 0) return tooManyRequests(retryMs, 'unknown_limited');
  return unauthorized(reason, sent);
}
