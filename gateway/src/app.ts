import type { Logger } from '@platform/service-kit/logger.ts';
import express, { type Express } from 'express';
import type { Gatekeeper } from './admission/gatekeeper.ts';
import { answerUnexpected } from './http/answer-unexpected.ts';
import { authorizeRequest } from './http/authorize-request.ts';
import { type BeginExchangeDeps, beginExchange } from './http/begin-exchange.ts';
import { refuseAmbiguous } from './http/refuse-ambiguous.ts';
import { findRoute, requireRoute } from './http/require-route.ts';
import { type ForwardOptions, forwardRequest } from './upstream/forward.ts';

export interface AppDeps extends BeginExchangeDeps {
  readonly logger: Logger;
  readonly gatekeeper: Gatekeeper;
  readonly forward: ForwardOptions;
  readonly docsUrl: string;
}

/** The request path. Every request takes these steps, in this order; each may end it. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');

  app.use(beginExchange(deps));
  app.use(refuseAmbiguous(deps.forward.maxBodyBytes));
  app.use(findRoute);
  app.use(authorizeRequest(deps.gatekeeper, deps.docsUrl));
  app.use(requireRoute);
  app.use(forwardRequest(deps.forward));
  app.use(answerUnexpected(deps.logger));
  return app;
}
