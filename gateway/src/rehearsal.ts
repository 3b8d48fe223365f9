import { simulatedCase } from '@platform/service-kit/http/prefer.ts';
import type { NextFunction, Request, RequestHandler } from 'express';
import type { Denied } from './access/authorization-result.ts';
import { bearerOf } from './access/connection-bearer.ts';
import { denialOf, tooManyRequests, unauthorized } from './access/errors.ts';
import { setRateLimitHeaders } from './access/rate-limit-headers.ts';
import { type GatewayError, upstreamFailed, upstreamTimeout } from './edge/errors.ts';
import type { Exchange } from './edge/exchange.ts';
import { requiredScopeOf } from './routes.ts';

/*
 * `Prefer: simulate=…` (RFC 7240) in a sandbox: the error that a program should be able to handle, with the status, body and headers
 * of the real one, marked by Preference-Applied. It is counted in the rolling hour, as a use of the sandbox, and in no metric.
 */

/** Milliseconds that `slow` takes, beyond the time of the request. */
const slowMs = 5_000;

const millisecondsPerHour = 3_600_000;

type Simulate = (request: Request) => GatewayError;

const denied =
  (outcome: Denied['outcome']): Simulate =>
  ({ exchange }) =>
    denialOf({ outcome, principal: exchange.principal }, requiredScopeOf(exchange.route));

/** A request that is not authenticated is not counted either, so its response has no limits. */
const unauthenticated =
  (reason: 'unknown' | 'expired'): Simulate =>
  ({ exchange, headers }) => {
    dropRateLimitHeaders(exchange);
    return unauthorized(reason, bearerOf(headers.authorization));
  };

/** Errors that can be asked for, by their names. */
export const simulations: ReadonlyMap<string, Simulate> = new Map<string, Simulate>([
  ['invalid-key', unauthenticated('unknown')],
  ['expired-key', unauthenticated('expired')],
  ['forbidden', denied('scope_denied')],
  ['ip-not-allowed', denied('ip_denied')],
  ['frozen', denied('frozen')],
  ['suspended', denied('application_suspended')],
  ['rate-limited', limited],
  ['upstream-timeout', () => upstreamTimeout],
  ['upstream-error', () => upstreamFailed],
]);

function limited({ exchange }: Request): GatewayError {
  const { rateLimit } = exchange;
  const limit = rateLimit?.limit ?? 0;
  const resetMs = rateLimit?.resetMs ?? millisecondsPerHour;
  setRateLimitHeaders(exchange.headers, { limit, used: limit, resetMs, retryMs: resetMs });
  return tooManyRequests(resetMs);
}

function dropRateLimitHeaders({ headers }: Exchange): void {
  for (const name of Object.keys(headers)) {
    if (/^(x-)?ratelimit/i.test(name)) delete headers[name];
  }
}

/** Responds as a sandbox asks it to. */
export const rehearse: RequestHandler = (req, _res, next) => {
  const { exchange } = req;
  if (exchange.principal?.isSandbox !== true) return next();
  const name = simulatedCase(req);
  const simulate = simulations.get(name ?? '');
  if (name !== 'slow' && simulate === undefined) return next();
  exchange.headers['Preference-Applied'] = `simulate=${name}`;
  if (simulate === undefined) return goOnLater(exchange, next);
  exchange.isSimulated = true;
  exchange.refuse(simulate(req));
};

/** Goes on with a request after a pause, if its credential still allows it. */
function goOnLater(exchange: Exchange, next: NextFunction): void {
  const goOn = async () => {
    const refusal = await exchange.recheck?.();
    if (refusal === undefined) next();
    else exchange.refuse(refusal);
  };
  const timer = setTimeout(() => void goOn().catch((error: unknown) => exchange.fail(error)), slowMs);
  exchange.atEnd(() => clearTimeout(timer));
}
