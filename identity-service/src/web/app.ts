import { createHash, timingSafeEqual } from 'node:crypto';
import { createBareApp } from '@platform/service-kit/http/app.ts';
import { beginRequest, observeRequests } from '@platform/service-kit/http/observe.ts';
import { securityHeaders } from '@platform/service-kit/http/security-headers.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { requestIdFrom } from '@platform/service-kit/telemetry/request-context.ts';
import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import { type RequestHandler, Router } from 'express';
import { assetRoutes } from './assets.ts';
import { errorResponse, handlePageErrors } from './errors.ts';
import { type Form, readForm } from './input.ts';
import { sendPage } from './pages.ts';
import { type BrowserSession, checkCsrf, type Sessions } from './sessions/browser-session.ts';
import { checkSameOrigin } from './sessions/same-origin.ts';

/**
 * 404 for every request but the gateway's: others could claim any client address. Digests are compared, so that timing
 * reveals neither the secret nor its length.
 */
function requireGateway(secrets: readonly string[]): RequestHandler {
  const accepted = secrets.map(digest);
  return function requireGatewaySecret(req, res, next) {
    const sent = req.headers['x-gateway-secret'];
    if (typeof sent === 'string') {
      const shown = digest(sent);
      if (accepted.some((each) => timingSafeEqual(shown, each))) return next();
    }
    res.status(404).end();
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Takes client address and request id from the gateway's headers, which `requireGateway` has authenticated. */
function identifyClient(tracer: Tracer | undefined): RequestHandler {
  return (req, res, next) => {
    const address = req.headers['x-forwarded-for'];
    const requestId = requestIdFrom(req.headers['x-request-id']);
    const clientIp = typeof address === 'string' ? address : (req.socket.remoteAddress ?? '');
    Object.assign(res.locals, { clientIp, requestId });
    beginRequest(req, res, { requestId, tracer, isFromGateway: true }, next);
  };
}

/** Headers of every response; a handler may override them. */
function setSecurityHeaders(publicUrl: string): RequestHandler {
  const headers = securityHeaders(publicUrl);
  return function setHeaders(_req, res, next) {
    res.set(headers);
    next();
  };
}

/** Refuses forms that pages of other sites send. */
function requireSameOrigin(publicUrl: string): RequestHandler {
  return function requireOwnPage(req, _res, next) {
    checkSameOrigin(req, publicUrl);
    next();
  };
}

interface AppDeps {
  /** Accepted secrets of the gateway. Each request must contain one. */
  readonly gatewaySecrets: readonly string[];
  readonly publicUrl: string;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Undefined: requests are not traced. */
  readonly tracer: Tracer | undefined;
  readonly sessions: Sessions;
  /** For services behind the gateway, which do not have its secret. */
  readonly internal: Router;
  /** For programs: no session, no form; they render their own errors. */
  readonly endpoints: readonly Router[];
  /** For the dashboard's pages: `res.locals.session`, JSON; renders its own errors. */
  readonly dashboardApi: Router;
  /** For the operators' console, as `dashboardApi`. */
  readonly operatorsApi: Router;
  /** Handles forms whose CSRF token may belong to an earlier session. */
  readonly oldForms: RequestHandler;
  /** For browsers: `res.locals.session`, and every POST is a form that carries its session's token. */
  readonly pages: readonly Router[];
}

/** The HTTP surface behind the gateway. Every request takes these steps, in this order; each may end it. */
export function createApp(deps: AppDeps): ReturnType<typeof createBareApp> {
  const { logger, registry } = deps;
  const app = createBareApp();
  app.use(deps.internal, requireGateway(deps.gatewaySecrets));
  app.use(identifyClient(deps.tracer));
  app.use(observeRequests({ logger, registry, fieldsOf: ({ locals }) => ({ clientIp: locals.clientIp }) }));
  app.use(setSecurityHeaders(deps.publicUrl));
  app.use(assetRoutes(), ...deps.endpoints);
  app.use(...deps.sessions.middleware);
  app.use('/dashboard-api', deps.dashboardApi);
  app.use('/operators/api/v1', deps.operatorsApi);
  app.use(requireSameOrigin(deps.publicUrl), readForm, deps.oldForms, checkCsrf, ...deps.pages);
  app.use((_req, res) => sendPage(res, errorResponse(404)));
  app.use(handlePageErrors(logger));
  return app;
}

declare global {
  namespace Express {
    interface Locals {
      /** Set for every request, from the gateway's headers. */
      clientIp: string;
      requestId: string;
      /** Set where `createSessions(...).middleware` runs: on every page, not on machine endpoints. */
      session: BrowserSession;
      /** Set for every POST to a page. */
      form: Form;
    }
  }
}

/** A router for exact paths: case-sensitive, no trailing slash. */
export function exactRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
