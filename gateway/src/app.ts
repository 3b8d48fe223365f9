import type { Express } from 'express';
import { type AuthorizeRequestDeps, authorizeRequest } from './access/authorize-request.ts';
import { type Docs, serveDocs } from './docs.ts';
import { type RefuseAmbiguousDeps, refuseAmbiguous } from './edge/ambiguity.ts';
import { type BeginExchangeDeps, beginExchange } from './edge/begin-exchange.ts';
import type { AllowedOrigins } from './edge/cors.ts';
import { handleCors } from './edge/cors.ts';
import { type LoadShedder, shedLoad } from './edge/overload.ts';
import { type RefusePlainHttpDeps, refusePlainHttp } from './edge/plain-http.ts';
import { receiveBody } from './edge/request-body.ts';
import { findRoute, requireRoute } from './edge/routing.ts';
import { createStepsApp } from './edge/steps.ts';
import { forwardRequest, type Upstreams } from './forwarding/proxy.ts';
import { forwardWebSocket } from './forwarding/websocket.ts';
import { serveRateLimit } from './rate-limit-status.ts';
import { rehearse } from './rehearsal.ts';
import { type ReportRequestDeps, reportRequest } from './reporting/report-request.ts';
import type { RouteTable } from './routes.ts';
import { type RequestChecks, validateRequest } from './validation/validate-request.ts';

interface AppDeps
  extends BeginExchangeDeps,
    ReportRequestDeps,
    AuthorizeRequestDeps,
    RefuseAmbiguousDeps,
    RefusePlainHttpDeps {
  readonly routes: RouteTable;
  readonly requestChecks: RequestChecks;
  readonly origins: AllowedOrigins;
  readonly shedder: LoadShedder;
  readonly upstreams: Upstreams;
  readonly docs: Docs;
  /** Aborts shortly before the gateway cuts what is in flight. */
  readonly stopping: AbortSignal;
}

/** The request path: every request takes these steps in order; each may end it. */
export function createApp(deps: AppDeps): Express {
  return createStepsApp(
    beginExchange(deps),
    reportRequest(deps),
    shedLoad(deps.shedder),
    refuseAmbiguous(deps),
    findRoute(deps.routes),
    handleCors(deps.origins),
    refusePlainHttp(deps),
    authorizeRequest(deps),
    requireRoute(deps.routes),
    rehearse,
    receiveBody(deps.maxBodyBytes),
    validateRequest(deps.requestChecks),
    forwardWebSocket(deps.upstreams, deps.stopping),
    forwardRequest(deps.upstreams, deps.stopping),
    serveRateLimit,
    serveDocs(deps.docs),
  );
}
