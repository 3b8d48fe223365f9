import { redactPath } from '@platform/service-kit/telemetry/logger.ts';
import type { Request, RequestHandler, Response } from 'express';
import { connectionBearer } from '../access/connection-bearer.ts';
import type { RequestMetrics } from '../edge/request-metrics.ts';
import { endRequestSpan } from '../edge/trace.ts';
import { isPublic, type RouteMatch, type RouteTable, requiredScopeOf } from '../routes.ts';
import type { EndedRequest } from './ended-request.ts';
import type { ExposedCredentials } from './exposed-credentials.ts';
import type { RequestLog } from './request-log.ts';
import type { RequestRecordBuffer } from './request-records.ts';
import type { RetiredCallsBuffer } from './retired-calls.ts';
import type { UsageBuffer } from './usage.ts';

export interface ReportRequestDeps {
  readonly routes: Pick<RouteTable, 'match'>;
  readonly logRequest: RequestLog;
  readonly metrics: RequestMetrics;
  readonly usage: UsageBuffer;
  readonly records: RequestRecordBuffer;
  readonly retiredCalls: Pick<RetiredCallsBuffer, 'record'>;
  readonly exposedCredentials: Pick<ExposedCredentials, 'record'>;
}

/** When the exchange ends, writes log line, metrics, usage and record, once. */
export function reportRequest(deps: ReportRequestDeps): RequestHandler {
  return (req, res, next) => {
    req.exchange.atEnd(() => reportEnd(deps, req, res));
    next();
  };
}

/** Status in logs, metrics, usage and records for a client that closed the connection before the response (as in nginx). */
const clientClosedRequest = 499;

function reportEnd(deps: ReportRequestDeps, req: Request, res: Response): void {
  const { exchange, method } = req;
  // Ambiguous requests were refused before routing.
  const route = exchange.route ?? deps.routes.match(method, exchange.path);
  const ended = endedRequest(req, res, route);
  if (exchange.span !== undefined) endRequestSpan(exchange.span, exchange, method, ended.status);
  count(deps, req, ended);
  if (exchange.retired !== undefined) deps.retiredCalls.record(exchange.retired, ended);
  // Pages and OAuth endpoints are not the gateway's to record.
  if (!ended.isSimulated && !isPublic(route)) recordRequest(deps, req, ended);
  deps.logRequest(ended);
}

function endedRequest(req: Request, res: Response, route: RouteMatch): EndedRequest {
  const { exchange, method, headers } = req;
  const endedAt = performance.now();
  return {
    requestId: exchange.requestId,
    traceId: exchange.span?.loggedTraceId,
    method,
    path: redactPath(exchange.path),
    route: route.name,
    status: res.writableFinished || res.headersSent ? res.statusCode : clientClosedRequest,
    ms: endedAt - exchange.startedAt,
    upstreamMs: exchange.upstreamMs(endedAt),
    responseBytes: exchange.responseBytes,
    userAgent: headers['user-agent'],
    clientIp: exchange.clientIp,
    principal: exchange.principal ?? exchange.retired,
    requiredScope: requiredScopeOf(route),
    refusal: exchange.refusal,
    invalidInput: exchange.invalidInput,
    errorBody: exchange.errorBody,
    isSimulated: exchange.isSimulated,
    complete: res.writableFinished,
    at: Date.now(),
  };
}

/** Counts a request in the metrics and the usage; one that was asked to fail as a use alone. */
function count({ metrics, usage }: ReportRequestDeps, { exchange }: Request, ended: EndedRequest): void {
  const { principal, route, rateLimit, span } = exchange;
  const { isSimulated, clientIp, at } = ended;
  const status = isSimulated ? 200 : ended.status;
  // Of a WebSocket the handshake: alarms of slow responses know the route's other requests.
  const ms = status === 101 ? exchange.upstreamAt - exchange.startedAt : ended.ms;
  if (!isSimulated) metrics.observe(route?.name ?? 'none', status, ms, ended.refusal, span);
  if (principal === undefined || route === undefined) return;
  const scope = ended.requiredScope || null;
  usage.record(principal, { status, clientIp, scope, endpoint: route, limitUsed: rateLimit?.used, at });
}

function recordRequest(deps: ReportRequestDeps, req: Request, ended: EndedRequest): void {
  if (ended.refusal === 'plain_http') {
    deps.exposedCredentials.record(ended, connectionBearer(req.socket, req.headers.authorization));
  } else {
    deps.records.record(ended);
  }
}
