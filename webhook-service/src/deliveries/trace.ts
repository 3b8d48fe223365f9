import { type Operation, type Span, spanKind } from '@platform/service-kit/telemetry/span.ts';
import { parseTraceparent } from '@platform/service-kit/telemetry/traceparent.ts';
import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import type { AttemptResult } from '../attempts/result.ts';
import type { ClaimedDelivery } from './delivery.ts';

/** Runs an attempt as a span. */
export type TraceAttempt = (
  endpoint: { readonly id: string; readonly url: string },
  delivery: ClaimedDelivery,
  attempt: () => Promise<AttemptResult>,
) => Promise<AttemptResult>;

const operation: Operation = {
  name: 'POST',
  kind: spanKind.client,
  attributes: { 'http.request.method': 'POST' },
};

/**
 * Records attempts in the trace of the request that caused the event, if it was recorded, and a sample of the others. A
 * failed attempt is not an error of the platform, so it is not exported for that reason. Receivers get no traceparent. Only
 * the host of their URLs is recorded, because URLs may contain secrets.
 */
export function createTraceAttempt(tracer: Tracer | undefined): TraceAttempt {
  if (tracer === undefined) return (_endpoint, _delivery, attempt) => attempt();
  return async (endpoint, delivery, attempt) => {
    const parent = parseTraceparent(delivery.traceparent);
    const span = tracer.startRequest({ operation, parent, isTrusted: true });
    const result = await attempt();
    if (span.isSampled) endAttempt(span, endpoint, delivery, result);
    return result;
  };
}

function endAttempt(
  span: Span,
  { id, url }: Parameters<TraceAttempt>[0],
  { id: deliveryId, eventId, businessId, attempts }: ClaimedDelivery,
  { outcome, status }: AttemptResult,
): void {
  const { protocol, hostname } = new URL(url);
  const attributes = {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    'http.response.status_code': status,
    'business.id': businessId,
    'webhook.event.id': eventId,
    'webhook.endpoint.id': id,
    'webhook.delivery.id': deliveryId,
    'webhook.attempt.number': attempts + 1,
    'webhook.outcome': outcome,
  };
  span.end(attributes, outcome === 'delivered' ? undefined : outcome);
}
