import type { Request, RequestHandler, Response } from 'express';
import { type Logger, redactPath } from '../logger.ts';
import { Histogram, type Registry } from '../metrics.ts';
import { inRequest } from '../request-context.ts';

interface ObserveOptions {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Fields of the log line besides request id, method, path, status and time. */
  readonly fieldsOf: (res: Response) => Readonly<Record<string, unknown>>;
}

/** Status of a response that the client did not wait for, in logs and metrics. */
const clientClosed = 499;

/** Writes one log line and one measurement for each request when it closes. The query is left out: it may hold a token. */
export function observeRequests({ logger, registry, fieldsOf }: ObserveOptions): RequestHandler {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });

  return function observeRequest(req, res, next) {
    const startedAt = performance.now();
    res.once('close', () => {
      const ms = performance.now() - startedAt;
      const { method } = req;
      const status = res.writableFinished ? res.statusCode : clientClosed;
      // A stream of events lasts as long as its client likes.
      if (!isEventStream(res)) duration.observe({ method, route: routeOf(req), status }, ms / 1000);
      logger.info(
        {
          requestId: res.getHeader('X-Request-Id'),
          method,
          path: redactPath(req.originalUrl.split('?', 1)[0] ?? ''),
          status,
          ms: Math.round(ms * 10) / 10,
          ...fieldsOf(res),
        },
        'request',
      );
    });
    next();
  };
}

function isEventStream(res: Response): boolean {
  return String(res.getHeader('Content-Type')).startsWith('text/event-stream');
}

// The pattern, not the path: the values of a label must be few.
function routeOf(req: Request): string {
  const route: unknown = req.route?.path;
  return typeof route === 'string' ? route : 'none';
}

/** Gives a request its id, in the response, in log lines and in rpcs, and runs `next` under it. */
export function beginRequest(res: Response, requestId: string, next: () => void): void {
  res.setHeader('X-Request-Id', requestId);
  inRequest(requestId, next);
}
