import express, { type Express } from 'express';
import { type AuthorizeRequestDeps, authorizeRequest } from './access/authorize-request.ts';
import { type Docs, serveDocs } from './docs.ts';
import { refuseAmbiguous } from './edge/ambiguity.ts';
import { refusePlainHttp } from './edge/client-address.ts';
import type { AllowedOrigins } from './edge/cors.ts';
import { handleCors } from './edge/cors.ts';
import { handleUnexpectedError } from './edge/errors.ts';
import { type BeginExchangeDeps, beginExchange } from './edge/observe.ts';
import { type LoadShedder, shedLoad } from './edge/overload.ts';
import { receiveBody } from './edge/request-body.ts';
import { forwardRequest, type Upstreams } from './forwarding/proxy.ts';
import { findRoute, requireRoute } from './routes.ts';

interface AppDeps extends BeginExchangeDeps, AuthorizeRequestDeps {
  readonly origins: AllowedOrigins;
  readonly shedder: LoadShedder;
  readonly upstreams: Upstreams;
  readonly docs: Docs;
  readonly maxBodyBytes: number;
  /** Aborts shortly before the gateway cuts what is in flight. */
  readonly stopping: AbortSignal;
}

/** The request path: every request takes these steps in order; each may end it. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');

  app.use(beginExchange(deps));
  app.use(shedLoad(deps.shedder));
  app.use(refuseAmbiguous(deps.maxBodyBytes));
  app.use(findRoute);
  app.use(handleCors(deps.origins));
  app.use(refusePlainHttp(deps.docsUrl));
  app.use(authorizeRequest(deps));
  app.use(requireRoute);
  app.use(receiveBody(deps.maxBodyBytes));
  app.use(forwardRequest(deps.upstreams, deps.stopping));
  app.use(serveDocs(deps.docs));
  app.use(handleUnexpectedError);
  return app;
}
