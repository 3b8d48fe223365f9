import express, { type Express } from 'express';
import type { AllowedOrigins } from './cors/allowed-origins.ts';
import { crossOrigin } from './cors/cross-origin.ts';
import { type AuthorizeRequestDeps, authorizeRequest } from './http/authorize-request.ts';
import { type BeginExchangeDeps, beginExchange } from './http/begin-exchange.ts';
import { failUnexpected } from './http/fail-unexpected.ts';
import { receiveBody } from './http/receive-body.ts';
import { refuseAmbiguous } from './http/refuse-ambiguous.ts';
import { findRoute, requireRoute } from './http/require-route.ts';
import { type LoadShedder, shedLoad } from './http/shed-load.ts';
import { forwardRequest, type Upstreams } from './upstream/forward.ts';

export interface AppDeps extends BeginExchangeDeps, AuthorizeRequestDeps {
  readonly origins: AllowedOrigins;
  readonly shedder: LoadShedder;
  readonly upstreams: Upstreams;
  readonly maxBodyBytes: number;
}

/** The request path. Every request takes these steps, in this order; each may end it. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');

  app.use(beginExchange(deps));
  app.use(shedLoad(deps.shedder));
  app.use(refuseAmbiguous(deps.maxBodyBytes));
  app.use(findRoute);
  app.use(crossOrigin(deps.origins));
  app.use(authorizeRequest(deps));
  app.use(requireRoute);
  app.use(receiveBody(deps.maxBodyBytes));
  app.use(forwardRequest(deps.upstreams));
  app.use(failUnexpected);
  return app;
}
