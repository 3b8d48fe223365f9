import { createHash, timingSafeEqual } from 'node:crypto';
import { securityHeaders } from '@platform/service-kit/http/security-headers.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { redactPath } from '@platform/service-kit/logger.ts';
import { Histogram, type Registry } from '@platform/service-kit/metrics.ts';
import { inRequest, requestIdFrom } from '@platform/service-kit/request-context.ts';
import express, { type Request, type RequestHandler, Router } from 'express';
import { type BrowserSession, checkCsrf, type Sessions } from '../sessions/browser-session.ts';
import { assetRoutes } from './assets.ts';
import { errorAnswer, renderError } from './errors.ts';
import { type Form, readForm } from './input.ts';
import { sendAnswer } from './pages.ts';

/**
 * Lets the gateway in and nobody else: callers past it could claim any address. For everybody else there is nothing here.
 * Digests are compared, so that the time tells neither the secret nor its length.
 */
function requireGateway(secret: string): RequestHandler {
  const expected = digest(secret);
  return function requireGatewaySecret(req, res, next) {
    const shown = req.headers['x-gateway-secret'];
    if (typeof shown === 'string' && timingSafeEqual(digest(shown), expected)) return next();
    res.status(404).end();
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Who is asking, as the gateway says. */
interface Caller {
  /** Address that the gateway determined. */
  readonly clientIp: string;
  /** The id under which the gateway knows the request, or a new one. */
  readonly requestId: string;
}

/** Reads the headers that the gateway sets; `requireGateway` has proved that they are its own. */
function callerOf(req: Request): Caller {
  const address = req.headers['x-forwarded-for'];
  return {
    clientIp: typeof address === 'string' ? address : (req.socket.remoteAddress ?? ''),
    requestId: requestIdFrom(req.headers['x-request-id']),
  };
}

/** One log line and one measurement per request. Never the query: it may hold a token. */
function observe(logger: Logger, registry: Registry): RequestHandler {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });

  return function observeRequest(req, res, next) {
    const startedAt = performance.now();
    const caller = callerOf(req);
    res.locals.caller = caller;
    res.setHeader('X-Request-Id', caller.requestId);
    res.once('close', () => {
      const ms = performance.now() - startedAt;
      const status = res.writableFinished ? res.statusCode : 499;
      duration.observe({ method: req.method, route: routeOf(req), status }, ms / 1000);
      logger.info(
        {
          requestId: caller.requestId,
          method: req.method,
          path: redactPath(req.originalUrl.split('?', 1)[0] ?? ''),
          status,
          ms: Math.round(ms * 10) / 10,
          clientIp: caller.clientIp,
        },
        'request',
      );
    });
    inRequest(caller.requestId, next);
  };
}

// The pattern, not the path: a label must not grow with what callers think up.
function routeOf(req: Request): string {
  const route: unknown = req.route?.path;
  return typeof route === 'string' ? route : 'none';
}

/** Headers of every response; a handler may override. */
function setSecurityHeaders(publicUrl: string): RequestHandler {
  const headers = securityHeaders(publicUrl);
  return function setHeaders(_req, res, next) {
    res.set(headers);
    next();
  };
}

interface AppDeps {
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
export function createApp(deps: AppDeps): ReturnType<typeof express> {
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');

  app.use(requireGateway(deps.gatewaySecret));
  app.use(observe(deps.logger, deps.registry));
  app.use(setSecurityHeaders(deps.publicUrl));
  app.use(assetRoutes(), ...deps.endpoints);
  app.use(...deps.sessions.middleware);
  app.use('/dashboard-api', deps.dashboardApi);
  app.use(readForm, checkCsrf, ...deps.pages);
  app.use((_req, res) => sendAnswer(res, errorAnswer(404)));
  app.use(renderError(deps.logger));
  return app;
}

// What the steps before a handler learn about its request.
declare global {
  namespace Express {
    interface Locals {
      /** Set for every request. */
      caller: Caller;
      /** Set where `createSessions(...).middleware` runs: on every page, not on machine endpoints. */
      session: BrowserSession;
      /** Set for every POST to a page. */
      form: Form;
    }
  }
}

/** A router that takes paths as they are written: no other case, no slash at the end. */
export function exactRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
