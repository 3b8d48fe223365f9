import { randomUUID } from 'node:crypto';
import { parseInvalidInput, type Refusal } from '@platform/protos/vocabulary';
import type { Logger } from '@platform/service-kit/logger.ts';
import { redactPath } from '@platform/service-kit/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/metrics.ts';
import type { Span } from '@platform/service-kit/tracing/span.ts';
import type { Tracer } from '@platform/service-kit/tracing/tracer.ts';
import type { Request, RequestHandler, Response } from 'express';
import { connectionBearer } from '../access/connection-bearer.ts';
import type { ExposedCredentials } from '../reporting/exposed-credentials.ts';
import type { FailedRequest, FailedRequestBuffer } from '../reporting/failed-requests.ts';
import type { RequestLog } from '../reporting/request-log.ts';
import type { UsageBuffer } from '../reporting/usage.ts';
import { isPublic, matchRoute, requiredScopeOf, routeNames } from '../routes.ts';
import { type ClientResolver, type ForwardedHeaders, strictTransport } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import { RequestDurations } from './request-durations.ts';
import { endRequestSpan, startRequestSpan } from './trace.ts';

export interface RequestMetrics {
  /**
   * A request without a duration: one that could not be read.
   * @param refusal reason of a response by the gateway itself; undefined for the upstream's
   */
  count(route: string, status: number, refusal: string | undefined): void;
  /**
   * The same with its duration.
   * @param ms from the start of the request to the end of the response
   * @param span of the request: where it is sampled, its trace is the exemplar of the duration
   */
  observe(
    route: string,
    status: number,
    ms: number,
    refusal: string | undefined,
    span: Span | undefined,
  ): void;
  /** Counts an exception in the handling of one request. */
  countUnexpected(): void;
}

/** Refusals that an alarm counts. */
const guesses: readonly Refusal[] = ['unknown', 'unknown_limited'];

/** Statuses of errors, by the gateway and by its upstreams. */
const errorStatuses = [500, 502, 503, 504];

/** Requests by route and status, and their durations by route. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  // Counted in plain numbers: prom-client builds a text at each increment, to find the labels by.
  // Errors begin at 0: an increase from nothing is none for Prometheus, so the first ones of a route would raise no alarm.
  const counts = new Map(
    routeNames.map((route) => [route, new Map(errorStatuses.map((status) => [status, 0]))]),
  );
  new Counter({
    name: 'gateway_requests_total',
    help: 'Requests by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [route, byStatus] of counts)
        for (const [status, count] of byStatus) this.inc({ route, status: String(status) }, count);
    },
  });
  const durations = new RequestDurations(registry);
  const unexpected = new Counter({
    name: 'gateway_unexpected_errors_total',
    help: 'Exceptions in the handling of a request; each turned its response into a 500',
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'gateway_refusals_total',
    help: 'Error responses of the gateway itself, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of guesses) refusals.inc({ reason }, 0);
  const countsOf = (route: string) => {
    const byStatus = new Map<number, number>();
    counts.set(route, byStatus);
    return byStatus;
  };
  const count: RequestMetrics['count'] = (route, status, refusal) => {
    if (refusal !== undefined) refusals.inc({ reason: refusal });
    const byStatus = counts.get(route) ?? countsOf(route);
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  };
  return {
    count,
    countUnexpected: () => unexpected.inc(),
    observe: (route, status, ms, refusal, span) => {
      count(route, status, refusal);
      durations.add(route, ms / 1000, span?.isSampled === true ? span.traceId : undefined);
    },
  };
}

/**
 * Record of a failed API request; undefined for pages and OAuth endpoints.
 * @param at end of the response, milliseconds since 1970
 */
function failedRequestOf(req: Request, status: number, at: number): FailedRequest | undefined {
  const { exchange, method } = req;
  const { requestId, path, principal, clientIp, refusal } = exchange;
  // Ambiguous requests were rejected before routing.
  const route = exchange.route ?? matchRoute(method, path);
  if (isPublic(route)) return undefined;
  const requiredScope = requiredScopeOf(route);
  const invalid = parseInvalidInput(exchange.invalidInput ?? '');
  return {
    requestId,
    at,
    method,
    path,
    route: route.name,
    status,
    refusal: refusal ?? invalid?.reason,
    invalidField: invalid?.field ?? '',
    principal,
    clientIp,
    requiredScope,
  };
}

export interface BeginExchangeDeps {
  readonly resolveClient: ClientResolver;
  readonly logger: Logger;
  readonly logRequest: RequestLog;
  readonly metrics: RequestMetrics;
  readonly usage: UsageBuffer;
  readonly failedRequests: FailedRequestBuffer;
  readonly exposedCredentials: Pick<ExposedCredentials, 'record'>;
  /** Absent: requests are not traced. */
  readonly tracer?: Tracer | undefined;
}

/** Sets request id and client IP; on close writes log line, metrics, usage and failure record, once. */
export function beginExchange(deps: BeginExchangeDeps): RequestHandler {
  const reportUnexpected = (exchange: Exchange, err: unknown) => {
    deps.logger.error({ err, requestId: exchange.requestId }, 'unexpected error');
    deps.metrics.countUnexpected();
  };
  return (req, res, next) => {
    const { exchange } = req;
    exchange.requestId = randomUUID();
    exchange.headers['X-Request-Id'] = exchange.requestId;
    if (deps.tracer !== undefined) exchange.span = startRequestSpan(deps.tracer, req);
    const client = deps.resolveClient(req.socket, forwardedHeaders(req));
    exchange.clientIp = client.address;
    exchange.protocol = client.protocol;
    Object.assign(exchange.headers, strictTransport(client.protocol));
    exchange.isPlainHttp = client.isPlainHttp;
    exchange.reportUnexpected = reportUnexpected;
    exchange.atEnd(() => endExchange(deps, req, res));
    res.once('close', () => exchange.end());
    next();
  };
}

/** Node joins repeated lines of a list header (RFC 9110 section 5.3). */
function forwardedHeaders({ headers }: Request): ForwardedHeaders {
  return { for: headers['x-forwarded-for']?.toString(), proto: headers['x-forwarded-proto']?.toString() };
}

function recordFailure(deps: BeginExchangeDeps, req: Request, request: FailedRequest): void {
  if (request.refusal === 'plain_http') {
    deps.exposedCredentials.record(request, connectionBearer(req.socket, req.headers.authorization));
  } else {
    deps.failedRequests.record(request);
  }
}

/** Status in logs, metrics and usage for a client that closed the connection before the response (as in nginx). */
const clientClosedRequest = 499;

function endExchange(deps: BeginExchangeDeps, req: Request, res: Response): void {
  const { logRequest, metrics, usage } = deps;
  const { exchange, method } = req;
  const { principal, route, span } = exchange;
  const status = res.writableFinished || res.headersSent ? res.statusCode : clientClosedRequest;
  const ms = performance.now() - exchange.startedAt;
  const at = Date.now();
  if (span !== undefined) endRequestSpan(span, exchange, method, status);
  metrics.observe(route?.name ?? 'none', status, ms, exchange.refusal, span);
  if (principal !== undefined && route !== undefined) {
    const { clientIp, limitUsed } = exchange;
    const scope = route.kind === 'found' ? route.scope : null;
    usage.record(principal, { status, clientIp, scope, endpoint: route, limitUsed, at });
  }
  const failedRequest =
    status >= 400 && status !== clientClosedRequest ? failedRequestOf(req, status, at) : undefined;
  if (failedRequest !== undefined) recordFailure(deps, req, failedRequest);
  logRequest({
    requestId: exchange.requestId,
    traceId: span?.loggedTraceId,
    method,
    path: redactPath(exchange.path),
    status,
    ms,
    clientIp: exchange.clientIp,
    principal,
    refusal: exchange.refusal,
    complete: res.writableFinished,
    at,
  });
}
