import type { Request, RequestHandler, Response } from 'express';
import { type Logger, redactPath } from '../telemetry/logger.ts';
import { Histogram, type Registry } from '../telemetry/metrics.ts';
import { inRequest } from '../telemetry/request-context.ts';
import { type Operation, type Span, spanKind } from '../telemetry/span.ts';
import { parentByRequestId, parseTraceparent } from '../telemetry/traceparent.ts';
import type { Tracer } from '../telemetry/tracer.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set where requests are traced. */
      span?: Span;
    }
  }
}

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
      // The duration of an event stream only depends on its client.
      const route = routeOf(req);
      const { span } = res.locals;
      if (span !== undefined) endSpan(span, req, res, route, status);
      if (!isEventStream(res)) duration.observe({ method, route, status }, ms / 1000);
      logger.info(
        {
          requestId: res.getHeader('X-Request-Id'),
          traceId: span?.loggedTraceId,
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

// The pattern instead of the path, because a label must have few values.
function routeOf(req: Request): string {
  const route: unknown = req.route?.path;
  return typeof route === 'string' ? route : 'none';
}

/** A request whose sender is known. */
interface IdentifiedRequest {
  readonly requestId: string;
  readonly tracer: Tracer | undefined;
  /** Whether the gateway sent it: then it belongs to the gateway's trace. */
  readonly isFromGateway: boolean;
}

/**
 * Gives a request its id, in the response, in log lines and in rpcs, and runs `next` under it. Where requests are traced,
 * it begins the span that `observeRequests` ends.
 */
export function beginRequest(
  req: Request,
  res: Response,
  { requestId, tracer, isFromGateway }: IdentifiedRequest,
  next: () => void,
): void {
  res.setHeader('X-Request-Id', requestId);
  if (tracer === undefined) {
    inRequest(requestId, next);
    return;
  }
  const { traceparent, tracestate } = req.headers;
  const span = tracer.startRequest({
    operation: operationOf(req.method, 'none'),
    parent: isFromGateway
      ? (parseTraceparent(traceparent, tracestate) ?? parentByRequestId(requestId))
      : undefined,
    isTrusted: true,
  });
  res.locals.span = span;
  inRequest(requestId, next, span);
}

const operations = new Map<string, Operation>();

/** The operation of a route; routes and methods are few. */
function operationOf(method: string, route: string): Operation {
  const name = route === 'none' ? method : `${method} ${route}`;
  const known = operations.get(name);
  if (known !== undefined) return known;
  const attributes = {
    'http.request.method': method,
    'http.route': route === 'none' ? undefined : route,
  };
  const operation = { name, kind: spanKind.server, attributes };
  operations.set(name, operation);
  return operation;
}

function endSpan(span: Span, req: Request, res: Response, route: string, status: number): void {
  const attributes = {
    'url.scheme': req.protocol,
    'http.response.status_code': status,
    'request.id': String(res.getHeader('X-Request-Id')),
  };
  span.rename(operationOf(req.method, route));
  span.end(attributes, status >= 500 ? String(status) : undefined);
}
