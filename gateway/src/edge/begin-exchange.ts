import { randomUUID } from 'node:crypto';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import type { Request, RequestHandler } from 'express';
import { type ClientResolver, type ForwardedHeaders, strictTransport } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { startRequestSpan } from './trace.ts';

export interface BeginExchangeDeps {
  readonly resolveClient: ClientResolver;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly docsUrl: string;
  /** Absent: requests are not traced. */
  readonly tracer?: Tracer | undefined;
}

/** Sets the request id and the client IP. The exchange ends with its response, or when the connection is lost. */
export function beginExchange(deps: BeginExchangeDeps): RequestHandler {
  const reportUnexpected = (exchange: Exchange, err: unknown) => {
    deps.logger.error({ err, requestId: exchange.requestId }, 'unexpected error');
    deps.metrics.countUnexpected();
  };
  return (req, res, next) => {
    const { exchange } = req;
    exchange.requestId = randomUUID();
    exchange.headers['X-Request-Id'] = exchange.requestId;
    if (deps.tracer !== undefined) exchange.span = startRequestSpan(deps.tracer, req);
    const client = deps.resolveClient(req.socket, forwardedHeaders(req));
    exchange.clientIp = client.address;
    exchange.protocol = client.protocol;
    Object.assign(exchange.headers, strictTransport(client.protocol));
    exchange.isPlainHttp = client.isPlainHttp;
    exchange.reportUnexpected = reportUnexpected;
    exchange.docsUrl = deps.docsUrl;
    res.once('close', () => exchange.end());
    next();
  };
}

/** Node joins repeated lines of a list header (RFC 9110 section 5.3). */
function forwardedHeaders({ headers }: Request): ForwardedHeaders {
  return { for: headers['x-forwarded-for']?.toString(), proto: headers['x-forwarded-proto']?.toString() };
}
