import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import express, { type Express, type Router } from 'express';
import { sendAnswer } from './answer.ts';
import { checkCsrf } from './csrf.ts';
import { observe } from './observe.ts';
import { assetRoutes } from './pages/assets.ts';
import { readForm } from './read-form.ts';
import { errorAnswer, renderError } from './render-error.ts';
import { requireGateway } from './require-gateway.ts';
import { securityHeaders } from './security-headers.ts';
import type { Sessions } from './session.ts';

export interface AppDeps {
  readonly gatewaySecret: string;
  readonly publicUrl: string;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly sessions: Sessions;
  /** For programs: no session, no form, answers and errors of their own. */
  readonly endpoints: readonly Router[];
  /** For the dashboard's pages: `res.locals.session`, JSON, answers and errors of its own. */
  readonly dashboardApi: Router;
  /** For browsers: `res.locals.session`, and every POST is a form that carries its session's token. */
  readonly pages: readonly Router[];
}

/** The HTTP surface behind the gateway. Every request takes these steps, in this order; each may end it. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');

  app.use(requireGateway(deps.gatewaySecret));
  app.use(observe(deps.logger, deps.registry));
  app.use(securityHeaders(deps.publicUrl));
  app.use(assetRoutes(), ...deps.endpoints);
  app.use(...deps.sessions.middleware);
  app.use('/dashboard-api', deps.dashboardApi);
  app.use(readForm, checkCsrf, ...deps.pages);
  app.use((_req, res) => sendAnswer(res, errorAnswer(404)));
  app.use(renderError(deps.logger));
  return app;
}
