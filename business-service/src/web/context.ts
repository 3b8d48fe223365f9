import type { Logger } from '@platform/service-kit/logger.ts';
import { redactPath } from '@platform/service-kit/logger.ts';
import { Histogram, type Registry } from '@platform/service-kit/metrics.ts';
import { inRequest, requestIdFrom } from '@platform/service-kit/request-context.ts';
import type { Request, RequestHandler } from 'express';
import type { Passport, VerifyPassport } from '../passport.ts';
import type { Instant } from '../values.ts';

export interface IdentifyDeps {
  readonly verifyPassport: VerifyPassport;
  readonly now: () => Instant;
}

/** Whose request it is, and its id. */
interface Identity {
  readonly requestId: string;
  /** Absent where none was sent that can be believed. */
  readonly passport: Passport | undefined;
}

const identity = Symbol('identity');

/** A property, and not a WeakMap: with one entry per request, V8 collects garbage at length. */
interface IdentifiedRequest extends Request {
  [identity]?: Identity;
}

/** Verifies the passport. Only with a valid one is the request id the gateway's: anybody can send a header. */
export function identify({ verifyPassport, now }: IdentifyDeps): RequestHandler {
  return async function identifyRequest(req: IdentifiedRequest, res, next) {
    const sent = req.headersDistinct['x-passport'] ?? [];
    const [token] = sent;
    const passport = token === undefined || sent.length > 1 ? undefined : await verifyPassport(token, now());
    const requestId = requestIdFrom(passport && req.headers['x-request-id']);
    req[identity] = { requestId, passport };
    res.setHeader('X-Request-Id', requestId);
    inRequest(requestId, next);
  };
}

/** Who is calling, once the passport was verified. */
export function callerOf(req: IdentifiedRequest): Passport | undefined {
  return req[identity]?.passport;
}

/** The id under which the gateway knows the request; one of our own where the gateway did not send it. */
export function requestIdOf(req: IdentifiedRequest): string {
  return req[identity]?.requestId ?? requestIdFrom(undefined);
}

/** One log line and one measurement per request, when its answer is out or its caller gone. */
export function observe(logger: Logger, registry: Registry): RequestHandler {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });

  return function observeRequest(req, res, next) {
    const startedAt = performance.now();
    res.once('close', () => {
      const ms = performance.now() - startedAt;
      const status = res.writableFinished ? res.statusCode : 499;
      const caller = callerOf(req);
      duration.observe({ method: req.method, route: routeOf(req), status }, ms / 1000);
      logger.info(
        {
          requestId: requestIdOf(req),
          method: req.method,
          path: redactPath(req.path),
          status,
          ms: Math.round(ms * 10) / 10,
          businessId: caller?.businessId,
          credentialId: caller?.credentialId,
        },
        'request',
      );
    });
    next();
  };
}

// The pattern, not the path: a label must not grow with the data.
function routeOf(req: Request): string {
  const route: unknown = req.route?.path;
  return typeof route === 'string' ? route : 'none';
}
