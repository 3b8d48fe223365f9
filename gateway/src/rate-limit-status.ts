import type { RequestHandler } from 'express';

/** GET /v2/rate-limit: the rolling hour of the credential, its scopes and its end. It is not counted. */
export const serveRateLimit: RequestHandler = ({ exchange }, _res, next) => {
  const { principal, rateLimit, route } = exchange;
  if (route?.kind !== 'found' || route.upstream !== 'limit') return next();
  if (principal === undefined || rateLimit === undefined)
    return next(new Error('the request was not admitted'));
  const { limit, used, resetMs } = rateLimit;
  const { scopes, expiresAt } = principal;
  const body = Buffer.from(
    JSON.stringify({
      limit,
      used,
      remaining: Math.max(0, limit - used),
      reset_at: new Date(Date.now() + resetMs).toISOString(),
      scopes,
      expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    }),
  );
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
  exchange.respond(200, { ...headers, 'Cache-Control': 'no-store' }, body);
};
