import { randomUUID } from 'node:crypto';
import type { Logger } from '@platform/service-kit/logger.ts';
import { redactPath } from '@platform/service-kit/logger.ts';
import { Counter, Histogram, type Registry } from '@platform/service-kit/metrics.ts';
import type { Request, RequestHandler, Response } from 'express';
import type { FailedRequest, FailedRequestBuffer } from '../reporting/failed-requests.ts';
import type { UsageBuffer } from '../reporting/usage.ts';
import { isPublic, matchRoute, requiredScopeOf } from '../routes.ts';
import { type ClientResolver, type ForwardedHeaders, strictTransport } from './client-address.ts';
import type { Exchange } from './exchange.ts';

interface RequestMetrics {
  /**
   * `ms` from the first byte of the request to the last of the answer; `refusal`: why the gateway itself answered, absent
   * where the upstream did.
   */
  observe(route: string, status: number, ms: number, refusal: string | undefined): void;
  /** An exception in the handling of one request. */
  countUnexpected(): void;
}

/** Requests by route and status, and their durations by route. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Requests by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time to the end of the answer, by route',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const unexpected = new Counter({
    name: 'gateway_unexpected_errors_total',
    help: 'Exceptions in the handling of a request; each cost that request its response',
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'gateway_refusals_total',
    help: 'Requests that the gateway itself answered, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Finding the child of a label set costs more than counting in it.
  const children = new Map<string, () => void>();
  return {
    countUnexpected: () => unexpected.inc(),
    observe: (route, status, ms, refusal) => {
      if (refusal !== undefined) refusals.inc({ reason: refusal });
      const key = `${route} ${status}`;
      let count = children.get(key);
      if (count === undefined) {
        const child = requests.labels(route, String(status));
        count = () => child.inc();
        children.set(key, count);
      }
      count();
      durations.labels(route).observe(ms / 1000);
    },
  };
}

/**
 * What is to be recorded of a request that was answered with `status`, at `at` (milliseconds since 1970); undefined for
 * what is not the API: pages and the OAuth endpoints.
 */
function failedRequestOf(req: Request, status: number, at: number): FailedRequest | undefined {
  const { exchange, method } = req;
  const { requestId, path, principal, clientIp, refusal } = exchange;
  // What was refused as ambiguous was not looked up.
  const route = exchange.route ?? matchRoute(method, path);
  if (isPublic(route)) return undefined;
  const requiredScope = requiredScopeOf(route);
  return {
    requestId,
    at,
    method,
    path,
    route: route.name,
    status,
    refusal,
    principal,
    clientIp,
    requiredScope,
  };
}

export interface BeginExchangeDeps {
  readonly resolveClient: ClientResolver;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly usage: UsageBuffer;
  readonly requests: FailedRequestBuffer;
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
    const client = deps.resolveClient(req.socket, forwardedHeaders(req));
    exchange.clientIp = client.address;
    exchange.protocol = client.protocol;
    exchange.reportUnexpected = reportUnexpected;
    res.on(
      'close',
      exchange.guard(() => endExchange(deps, req, res)),
    );
    next();
  };
}

/** Several lines of a list header are one list (RFC 9110 section 5.3), and Node joins them. */
function forwardedHeaders({ headers }: Request): ForwardedHeaders {
  return { for: headers['x-forwarded-for']?.toString(), proto: headers['x-forwarded-proto']?.toString() };
}

/** Status of an answer that the caller did not wait for, in logs, metrics and counts only. */
const clientClosedRequest = 499;

function endExchange(deps: BeginExchangeDeps, req: Request, res: Response): void {
  const { logger, metrics, usage, requests } = deps;
  const { exchange, method } = req;
  const { principal, route } = exchange;
  const status = res.writableFinished || res.headersSent ? res.statusCode : clientClosedRequest;
  const ms = performance.now() - exchange.startedAt;
  const at = Date.now();
  metrics.observe(route?.name ?? 'none', status, ms, exchange.refusal);
  if (principal !== undefined && route !== undefined) {
    const { clientIp, limitUsed } = exchange;
    const scope = route.kind === 'found' ? route.scope : null;
    usage.record(principal, { status, clientIp, scope, endpoint: route, limitUsed, at });
  }
  const failed =
    status >= 400 && status !== clientClosedRequest ? failedRequestOf(req, status, at) : undefined;
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
