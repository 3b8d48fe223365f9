import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import type { Request, RequestHandler } from 'express';
import type { Gatekeeper } from '../admission/gatekeeper.ts';
import type { RouteMatch } from '../routes/route-table.ts';
import { answerError } from './answer-error.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { authorizationUnavailable, refusalOf, tooManyRequests, unauthorized } from './refusals.ts';

const bearerShape = /^Bearer +(\S+) *$/i;
const credentialPrefixes: ReadonlySet<string> = new Set(['sk', 'rk', 'at']);

/** Authorize and admit in one step, since one round trip to Redis answers both. */
export function authorizeRequest(gatekeeper: Gatekeeper, docsUrl: string): RequestHandler {
  return async (req, res, next) => {
    const { clientIp, route } = req.exchange;
    if (needsNoCredential(route)) return next();
    const requiredScope = (route?.kind === 'found' && route.scope) || '';
    const bearer = bearerOf(req);
    if (bearer === undefined || !isWellFormed(bearer)) {
      answerError(req, res, unauthorized(bearer ?? req.headers.authorization));
      return;
    }
    const decision = await gatekeeper({ bearer, clientIp, requiredScope });
    if (decision.kind === 'unavailable') return answerError(req, res, authorizationUnavailable);
    req.exchange.principal = decision.answer.principal;
    if (decision.kind === 'refused') {
      return answerError(req, res, refusalOf(decision.answer, bearer, requiredScope, docsUrl));
    }
    req.exchange.limitUsed = decision.rateLimit.used;
    Object.assign(req.exchange.headers, rateLimitHeaders(decision.rateLimit));
    if (decision.kind === 'limited') return answerError(req, res, tooManyRequests(decision.rateLimit));
    req.exchange.passport = decision.answer.passport;
    next();
  };
}

function needsNoCredential(route: RouteMatch | undefined): boolean {
  if (route?.kind === 'found') return route.scope === null;
  return route?.kind === 'method_not_allowed' && route.isPublic;
}

function bearerOf(req: Request): string | undefined {
  return bearerShape.exec(req.headers.authorization ?? '')?.[1];
}

function isWellFormed(bearer: string): boolean {
  const prefix = checkedTokenPrefix(bearer);
  return prefix !== undefined && credentialPrefixes.has(prefix);
}
