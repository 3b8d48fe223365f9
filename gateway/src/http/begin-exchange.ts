import { randomUUID } from 'node:crypto';
import type { Logger } from '@platform/service-kit/logger.ts';
import { redactPath } from '@platform/service-kit/redact-path.ts';
import type { Request, RequestHandler, Response } from 'express';
import type { RequestBook } from '../requests/request-book.ts';
import type { UsageBook } from '../usage/usage-book.ts';
import type { CallerResolver, Forwarded } from './caller.ts';
import { strictTransport } from './encryption.ts';
import type { Exchange } from './exchange.ts';
import { failedRequestOf } from './failed-request.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface BeginExchangeDeps {
  readonly resolveCaller: CallerResolver;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly usage: UsageBook;
  readonly requests: RequestBook;
}

/** Names the request and its caller, and sees to it that its end is told once: log line, metrics, usage, record. */
export function beginExchange(deps: BeginExchangeDeps): RequestHandler {
  const reportUnexpected = (exchange: Exchange, err: unknown) => {
    deps.logger.error({ err, requestId: exchange.requestId }, 'unexpected error');
    deps.metrics.countUnexpected();
  };
  return (req, res, next) => {
    const { exchange } = req;
    exchange.requestId = randomUUID();
    exchange.headers['X-Request-Id'] = exchange.requestId;
    Object.assign(exchange.headers, strictTransport(req.socket));
    const caller = deps.resolveCaller(req.socket, forwardedBy(req));
    exchange.clientIp = caller.address;
    exchange.protocol = caller.protocol;
    exchange.reportUnexpected = reportUnexpected;
    res.on(
      'close',
      exchange.guard(() => endExchange(deps, req, res)),
    );
    next();
  };
}

/** Several lines of a list header are one list (RFC 9110 section 5.3), and Node joins them. */
function forwardedBy({ headers }: Request): Forwarded {
  return { for: headers['x-forwarded-for']?.toString(), proto: headers['x-forwarded-proto']?.toString() };
}

/** Status of an answer that the caller did not wait for, in logs, metrics and counts only. */
const callerGone = 499;

function endExchange(deps: BeginExchangeDeps, req: Request, res: Response): void {
  const { logger, metrics, usage, requests } = deps;
  const { exchange, method } = req;
  const { principal, route } = exchange;
  const status = res.writableFinished || res.headersSent ? res.statusCode : callerGone;
  const ms = performance.now() - exchange.startedAt;
  const at = Date.now();
  metrics.observe(route?.name ?? 'none', status, ms, exchange.refusal);
  if (principal !== undefined && route !== undefined) {
    const { clientIp, limitUsed } = exchange;
    const scope = route.kind === 'found' ? route.scope : null;
    usage.record(principal, { status, clientIp, scope, endpoint: route, limitUsed, at });
  }
  const failed = status >= 400 && status !== callerGone ? failedRequestOf(req, status, at) : undefined;
  if (failed !== undefined) requests.record(failed);
  logger.info(
    {
      requestId: exchange.requestId,
      method,
      path: redactPath(exchange.path),
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
