import { addressBlock } from '@platform/service-kit/addresses.ts';
import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import type { RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { restrictOrigin } from '../edge/cors.ts';
import {
  authorizationUnavailable,
  type CredentialFault,
  denialOf,
  faultOf,
  type GatewayError,
  tooManyRequests,
  unauthorized,
} from '../edge/errors.ts';
import { createStandAside } from '../edge/overload.ts';
import { isPublic, requiredScopeOf } from '../routes.ts';
import type { Gatekeeper, RateLimitState, Recheck } from './check-access.ts';

/**
 * How a caller learns where it stands: the fields of draft-ietf-httpapi-ratelimit-headers, and the X- names that most
 * clients read. All times are seconds from now, rounded up.
 */
function rateLimitHeaders({ limit, used, resetMs }: RateLimitState): Record<string, string> {
  const remaining = Math.max(0, limit - used);
  const reset = Math.max(1, Math.ceil(resetMs / 1000));
  return {
    'RateLimit-Policy': `"hour";q=${limit};w=3600`,
    RateLimit: `"hour";r=${remaining};t=${reset}`,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  };
}

/*
 * Who shows one credential after the other that is none is guessing, or runs a program with a key that is over. Both are
 * told to slow down; a credential that is good passes from the same address as ever. In each gateway for itself: these
 * requests go no further than it.
 */

/** Counts unknown credentials by network: an IPv4 address, or the /64 of an IPv6 one. */
interface UnknownLimit {
  /** Counts one. Returns the milliseconds to wait before the next; 0 while there is room. */
  count(network: string): number;
}

interface UnknownLimitOptions {
  readonly perMinute: number;
  /** Networks that are remembered. */
  readonly maxNetworks: number;
  /** Milliseconds on a clock that never jumps. */
  readonly monotonicNow: () => number;
}

/** Unknown credentials that a network may still show, as of a moment. */
interface Bucket {
  left: number;
  at: number;
}

/** A token bucket for each network: a minute's worth at once, then as fast as it fills. */
export function createUnknownLimit(options: UnknownLimitOptions): UnknownLimit {
  const { perMinute, maxNetworks, monotonicNow } = options;
  const perMs = perMinute / 60_000;
  const buckets = new LRUCache<string, Bucket>({ max: maxNetworks });
  return {
    count: (network) => {
      const now = monotonicNow();
      const bucket = buckets.get(network) ?? { left: perMinute, at: now };
      bucket.left = Math.min(perMinute, bucket.left + (now - bucket.at) * perMs);
      bucket.at = now;
      buckets.set(network, bucket);
      if (bucket.left < 1) return (1 - bucket.left) / perMs;
      bucket.left--;
      return 0;
    },
  };
}

export interface AuthorizeRequestDeps {
  readonly gatekeeper: Gatekeeper;
  readonly recheck: Recheck;
  readonly unknownLimit: UnknownLimit;
  readonly docsUrl: string;
}

const bearerShape = /^Bearer +(\S+) *$/i;

const credentialPrefixes: ReadonlySet<string> = new Set(['sk', 'rk', 'at']);

/** Authorize and admit in one step, since one round trip to Redis answers both. */
export function authorizeRequest(deps: AuthorizeRequestDeps): RequestHandler {
  const { gatekeeper, recheck, docsUrl } = deps;
  const standAside = createStandAside();
  return async (req, _res, next) => {
    const { exchange } = req;
    const { clientIp, requestId, route, startedAt: beganAt } = exchange;
    if (route !== undefined && isPublic(route)) return next();
    const requiredScope = requiredScopeOf(route);
    const sent = req.headers.authorization;
    const bearer = bearerOf(sent);
    if (!isWellFormed(bearer)) {
      await standAside();
      return exchange.refuse(unauthenticated(deps, clientIp, faultIn(sent), bearer ?? sent));
    }
    const question = { bearer, clientIp, requiredScope, requestId, beganAt };
    const decision = await gatekeeper(question);
    if (decision.kind === 'unavailable') return exchange.refuse(authorizationUnavailable);
    const { principal } = decision.answer;
    exchange.principal = principal;
    if (principal !== undefined) restrictOrigin(req, principal.allowedOrigins);
    if (decision.kind === 'refused') {
      await standAside();
      return exchange.refuse(unauthenticated(deps, clientIp, faultOf[decision.answer.outcome], bearer));
    }
    exchange.limitUsed = decision.rateLimit.used;
    Object.assign(exchange.headers, rateLimitHeaders(decision.rateLimit));
    switch (decision.kind) {
      case 'limited':
        return exchange.refuse(tooManyRequests(decision.rateLimit.retryMs, docsUrl));
      case 'denied':
        return exchange.refuse(denialOf(decision.answer, requiredScope, docsUrl));
      case 'admitted':
        exchange.passport = decision.answer.passport;
        exchange.recheck = recheck(question);
        next();
    }
  };
}

function bearerOf(authorization = ''): string | undefined {
  return bearerShape.exec(authorization)?.[1];
}

function isWellFormed(bearer: string | undefined): bearer is string {
  const prefix = checkedTokenPrefix(bearer ?? '');
  return prefix !== undefined && credentialPrefixes.has(prefix);
}

function faultIn(sent: string | undefined): CredentialFault {
  return sent === undefined ? 'missing' : 'malformed';
}

/** 401; for an address that shows too many credentials that are none, 429. */
function unauthenticated(
  { unknownLimit, docsUrl }: AuthorizeRequestDeps,
  clientIp: string,
  fault: CredentialFault,
  sent: string | undefined,
): GatewayError {
  const isGuess = fault === 'malformed' || fault === 'unknown';
  const retryMs = isGuess ? unknownLimit.count(addressBlock(clientIp)) : 0;
  if (retryMs > 0) return tooManyRequests(retryMs, docsUrl, 'unknown_limited');
  return unauthorized(fault, sent, docsUrl);
}
