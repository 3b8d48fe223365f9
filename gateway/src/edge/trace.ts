import { type Operation, type Span, spanKind } from '@platform/service-kit/telemetry/span.ts';
import { parseTraceparent } from '@platform/service-kit/telemetry/traceparent.ts';
import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import type { Request } from 'express';
import type { Exchange } from './exchange.ts';

/*
 * Spans of the gateway: the request of a client, and the request to an upstream. A trace continues the client's trace, but
 * ignores its sampled flag. Otherwise any client could have all of its requests recorded.
 */

/** Renamed at the end, when the route is known. */
const request: Operation = { name: 'HTTP', kind: spanKind.server, attributes: {} };

/** Begins the span of a client's request. A trace that begins here has the digits of the request id. */
export function startRequestSpan(tracer: Tracer, { exchange, headers }: Request): Span {
  return tracer.startRequest({
    operation: request,
    parent: parseTraceparent(headers.traceparent, headers.tracestate),
    isTrusted: false,
    requestId: exchange.requestId,
    startedAt: exchange.startedAt,
  });
}

/** Ends the span of a client's request, with all that belongs to it. */
export function endRequestSpan(span: Span, exchange: Exchange, method: string, status: number): void {
  const isError = status >= 500;
  // The client has gone before the upstream's response.
  exchange.endUpstreamSpan();
  if (!isError && !span.isSampled) {
    // Dropped: nothing more is written.
    span.end();
    return;
  }
  const route = exchange.route?.name ?? 'none';
  const attributes = {
    'http.request.method': method,
    'http.route': route === 'none' ? undefined : route,
    'url.scheme': exchange.protocol,
  };
  span.rename({ name: route === 'none' ? method : `${method} ${route}`, kind: spanKind.server, attributes });
  const end = {
    'http.response.status_code': status,
    'request.id': exchange.requestId,
    'business.id': exchange.principal?.businessId,
    'gateway.refusal': exchange.refusal,
  };
  span.end(end, isError ? (exchange.refusal ?? String(status)) : undefined);
}

/** Operations of requests to one upstream, by method. */
export type UpstreamOperations = (method: string) => Operation;

/** @param host name of the upstream */
export function createUpstreamOperations(host: string): UpstreamOperations {
  const operations = new Map<string, Operation>();
  return (method) => {
    const known = operations.get(method);
    if (known !== undefined) return known;
    const attributes = { 'http.request.method': method, 'server.address': host };
    const operation = { name: method, kind: spanKind.client, attributes };
    operations.set(method, operation);
    return operation;
  };
}
