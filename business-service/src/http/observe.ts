import type { Logger } from '@platform/service-kit/logger.ts';
import { Histogram, type Registry } from '@platform/service-kit/metrics.ts';
import { redactPath } from '@platform/service-kit/redact-path.ts';
import type { Request, RequestHandler } from 'express';
import { callerOf, requestIdOf } from './caller.ts';

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
