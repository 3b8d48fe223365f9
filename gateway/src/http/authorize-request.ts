import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import type { RequestHandler } from 'express';
import type { Gatekeeper } from '../admission/gatekeeper.ts';
import type { Recheck } from '../authorization/recheck.ts';
import { restrictOrigin } from '../cors/cross-origin.ts';
import { isPublic, requiredScopeOf } from '../routes/route-table.ts';
import type { GatewayError } from './gateway-error.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { authorizationUnavailable, refusalOf, tooManyRequests, unauthorized } from './refusals.ts';

const bearerShape = /^Bearer +(\S+) *$/i;
const credentialPrefixes: ReadonlySet<string> = new Set(['sk', 'rk', 'at']);

/** Authorize and admit in one step, since one round trip to Redis answers both. */
export function authorizeRequest(gatekeeper: Gatekeeper, recheck: Recheck, docsUrl: string): RequestHandler {
  return async (req, _res, next) => {
    const { clientIp, requestId, route } = req.exchange;
    if (route !== undefined && isPublic(route)) return next();
    const requiredScope = requiredScopeOf(route);
    const sent = req.headers.authorization;
    const bearer = bearerOf(sent);
    if (!isWellFormed(bearer)) return req.exchange.refuse(noCredential(sent, bearer, docsUrl));
    const decision = await gatekeeper({ bearer, clientIp, requiredScope, requestId });
    if (decision.kind === 'unavailable') return req.exchange.refuse(authorizationUnavailable);
    const { principal } = decision.answer;
    req.exchange.principal = principal;
    if (principal !== undefined) restrictOrigin(req, principal.allowedOrigins);
    if (decision.kind === 'refused') {
      return req.exchange.refuse(refusalOf(decision.answer, bearer, requiredScope, docsUrl));
    }
    req.exchange.limitUsed = decision.rateLimit.used;
    Object.assign(req.exchange.headers, rateLimitHeaders(decision.rateLimit));
    if (decision.kind === 'limited') {
      return req.exchange.refuse(tooManyRequests(decision.rateLimit, docsUrl));
    }
    req.exchange.passport = decision.answer.passport;
    req.exchange.recheck = recheck({ bearer, clientIp, requiredScope, requestId });
    next();
  };
}

function bearerOf(authorization = ''): string | undefined {
  return bearerShape.exec(authorization)?.[1];
}

function noCredential(sent: string | undefined, bearer: string | undefined, docsUrl: string): GatewayError {
  return unauthorized(sent === undefined ? 'missing' : 'malformed', bearer ?? sent, docsUrl);
}

function isWellFormed(bearer: string | undefined): bearer is string {
  const prefix = checkedTokenPrefix(bearer ?? '');
  return prefix !== undefined && credentialPrefixes.has(prefix);
}
