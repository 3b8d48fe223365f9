import { randomUUID } from 'node:crypto';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Request, RequestHandler, Response } from 'express';
import type { UsageBook } from '../usage/usage-book.ts';
import type { ClientIpResolver } from './client-ip.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface BeginExchangeDeps {
  readonly resolveClientIp: ClientIpResolver;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly usage: UsageBook;
}

/** Names the request and its caller, and sees to it that its end is told once: log line, metrics, usage. */
export function beginExchange(deps: BeginExchangeDeps): RequestHandler {
  return (req, res, next) => {
    const { exchange } = req;
    exchange.requestId = randomUUID();
    exchange.headers['X-Request-Id'] = exchange.requestId;
    exchange.clientIp = deps.resolveClientIp(req.socket, forwardedFor(req));
    res.on('close', () => endExchange(deps, req, res));
    next();
  };
}

/** Several X-Forwarded-For lines are one list (RFC 9110 section 5.3). */
function forwardedFor(req: Request): string | undefined {
  const value = req.headers['x-forwarded-for'];
  return Array.isArray(value) ? value.join(',') : value;
}

/** Status of an answer that the caller did not wait for, in logs and metrics only. */
const callerGone = 499;

function endExchange({ logger, metrics, usage }: BeginExchangeDeps, req: Request, res: Response): void {
  const { exchange, method } = req;
  const { principal, route } = exchange;
  const status = res.writableFinished || res.headersSent ? res.statusCode : callerGone;
  const ms = performance.now() - exchange.startedAt;
  metrics.observe(route?.name ?? 'none', status, ms);
  if (principal !== undefined) usage.record(principal, status, exchange.clientIp, Date.now());
  logger.info(
    {
      requestId: exchange.requestId,
      method,
      path: exchange.path,
      status,
      ms: Math.round(ms * 10) / 10,
      ip: exchange.clientIp,
      business: principal?.businessId,
      credential: principal?.credentialId,
      refusal: exchange.refusal,
      complete: res.writableFinished,
    },
    'request',
  );
}
