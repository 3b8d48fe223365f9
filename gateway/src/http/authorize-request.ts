import { addressBlock } from '@platform/service-kit/address-block.ts';
import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import type { RequestHandler } from 'express';
import type { Gatekeeper } from '../admission/gatekeeper.ts';
import type { Recheck } from '../authorization/recheck.ts';
import { restrictOrigin } from '../cors/cross-origin.ts';
import type { UnknownLimit } from '../rate-limit/unknown-credentials.ts';
import { isPublic, requiredScopeOf } from '../routes/route-table.ts';
import type { GatewayError } from './gateway-error.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import {
  authorizationUnavailable,
  type CredentialFault,
  denialOf,
  faultOf,
  tooManyRequests,
  unauthorized,
} from './refusals.ts';
import { createStandAside } from './stand-aside.ts';

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
