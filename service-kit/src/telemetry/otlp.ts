import type { Attributes, Span } from './span.ts';

/*
 * OTLP over HTTP, in its JSON encoding: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. 64-bit integers
 * are strings, ids hexadecimal.
 */

const errorStatus = { code: 2 };

function keyValues(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } }];
  });
}

/** @param origin milliseconds since 1970 of the monotonic clock's zero */
function encodeSpan(span: Span, origin: number) {
  const { operation, attributes, errorType, parentId, tracestate } = span;
  const nanos = (at: number) => `${Math.round((origin + at) * 1_000)}000`;
  return {
    traceId: span.traceId,
    spanId: span.id,
    ...(parentId !== '' && { parentSpanId: parentId }),
    ...(tracestate !== '' && { traceState: tracestate }),
    name: operation.name,
    kind: operation.kind,
    startTimeUnixNano: nanos(span.startedAt),
    endTimeUnixNano: nanos(span.endedAt),
    attributes: keyValues({ ...operation.attributes, ...attributes, 'error.type': errorType }),
    ...(errorType !== undefined && { status: errorStatus }),
  };
}

/** An ExportTraceServiceRequest. @param resource attributes of the process */
export function encodeSpans(spans: readonly Span[], resource: Attributes): string {
  // The wall clock as it is now: that of the start may have been set since.
  const origin = Date.now() - performance.now();
  const scopeSpans = [
    { scope: { name: 'business-api-platform' }, spans: spans.map((span) => encodeSpan(span, origin)) },
  ];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }],
  });
}
