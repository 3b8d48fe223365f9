import { parseInvalidInput } from '@platform/protos/vocabulary';
import { redactPath } from '@platform/service-kit/telemetry/logger.ts';
import type { Request, RequestHandler, Response } from 'express';
import { connectionBearer } from '../access/connection-bearer.ts';
import type { Exchange } from '../edge/exchange.ts';
import type { RequestMetrics } from '../edge/request-metrics.ts';
import { endRequestSpan } from '../edge/trace.ts';
import { isPublic, matchRoute, requiredScopeOf } from '../routes.ts';
import type { ExposedCredentials } from './exposed-credentials.ts';
import type { FailedRequest, FailedRequestBuffer } from './failed-requests.ts';
import type { RequestLog } from './request-log.ts';
import type { RetiredCallsBuffer } from './retired-calls.ts';
import type { UsageBuffer } from './usage.ts';

export interface ReportRequestDeps {
  readonly logRequest: RequestLog;
  readonly metrics: RequestMetrics;
  readonly usage: UsageBuffer;
  readonly failedRequests: FailedRequestBuffer;
  readonly retiredCalls: Pick<RetiredCallsBuffer, 'record'>;
  readonly exposedCredentials: Pick<ExposedCredentials, 'record'>;
}

/** When the exchange ends, writes log line, metrics, usage and failure record, once. */
export function reportRequest(deps: ReportRequestDeps): RequestHandler {
  return (req, res, next) => {
    req.exchange.atEnd(() => reportEnd(deps, req, res));
    next();
  };
}

/**
 * Record of a failed API request; undefined for pages and OAuth endpoints.
 * @param at end of the response, milliseconds since 1970
 */
function failedRequestOf(req: Request, status: number, at: number): FailedRequest | undefined {
  const { exchange, method } = req;
  const { requestId, path, principal, retired, clientIp, refusal } = exchange;
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
    principal: principal ?? retired,
    clientIp,
    requiredScope,
  };
}

function recordFailure(deps: ReportRequestDeps, req: Request, request: FailedRequest): void {
  if (request.refusal === 'plain_http') {
    deps.exposedCredentials.record(request, connectionBearer(req.socket, req.headers.authorization));
  } else {
    deps.failedRequests.record(request);
  }
}

/** Status in logs, metrics and usage for a client that closed the connection before the response (as in nginx). */
const clientClosedRequest = 499;

interface End {
  readonly status: number;
  /** Milliseconds from the start of the request. */
  readonly ms: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Counts a request in the metrics, the usage and the records of failures; one that was asked to fail as a use alone. */
function countEnd(deps: ReportRequestDeps, req: Request, end: End): void {
  const { exchange } = req;
  if (exchange.isSimulated) {
    recordUsage(deps, exchange, { ...end, status: 200 });
    return;
  }
  const { status, ms, at } = end;
  deps.metrics.observe(exchange.route?.name ?? 'none', status, ms, exchange.refusal, exchange.span);
  recordUsage(deps, exchange, end);
  if (exchange.retired !== undefined)
    deps.retiredCalls.record(exchange.retired, { clientIp: exchange.clientIp, at });
  const failedRequest =
    status >= 400 && status !== clientClosedRequest ? failedRequestOf(req, status, at) : undefined;
  if (failedRequest !== undefined) recordFailure(deps, req, failedRequest);
}

function recordUsage({ usage }: ReportRequestDeps, exchange: Exchange, { status, at }: End): void {
  const { principal, route, clientIp, rateLimit } = exchange;
  if (principal === undefined || route === undefined) return;
  const scope = requiredScopeOf(route) || null;
  usage.record(principal, { status, clientIp, scope, endpoint: route, limitUsed: rateLimit?.used, at });
}

function reportEnd(deps: ReportRequestDeps, req: Request, res: Response): void {
  const { exchange, method } = req;
  const { principal, retired, span } = exchange;
  const status = res.writableFinished || res.headersSent ? res.statusCode : clientClosedRequest;
  const ms = performance.now() - exchange.startedAt;
  const at = Date.now();
  if (span !== undefined) endRequestSpan(span, exchange, method, status);
  countEnd(deps, req, { status, ms, at });
  deps.logRequest({
    requestId: exchange.requestId,
    traceId: span?.loggedTraceId,
    method,
    path: redactPath(exchange.path),
    status,
    ms,
    clientIp: exchange.clientIp,
    principal: principal ?? retired,
    refusal: exchange.refusal,
    isSimulated: exchange.isSimulated,
    complete: res.writableFinished,
    at,
  });
}
