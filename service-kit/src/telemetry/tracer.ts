import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { collectorOrigin } from '../values/addresses.ts';
import { createSpanMetrics, startExporter } from './exporter.ts';
import type { Logger } from './logger.ts';
import type { Registry } from './metrics.ts';
import { collectorHeaders } from './otlp-headers.ts';
import { type Operation, Span } from './span.ts';
import type { RemoteParent } from './traceparent.ts';

/** OTLP_ENDPOINT, OTLP_HEADERS and TRACE_SAMPLE_RATE. */
export const tracingFields = {
  /** Collector of traces; no traces where absent. */
  OTLP_ENDPOINT: collectorOrigin.optional(),
  /** Sent with each export; values may be secret. */
  OTLP_HEADERS: collectorHeaders.optional(),
  TRACE_SAMPLE_RATE: z.coerce.number('must be a number').min(0).max(1).default(0.01),
};

interface TracerOptions {
  /** Of this process. */
  readonly service: string;
  readonly config: z.output<z.ZodObject<typeof tracingFields>>;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** A request that begins in this process. */
interface RequestStart {
  readonly operation: Operation;
  /** The span that it belongs to; undefined for none. */
  readonly parent?: RemoteParent | undefined;
  /** Whether to follow the parent's sampling decision, because its header comes from this platform. */
  readonly isTrusted: boolean;
  /** UUID of the request, which names a trace that begins here; a random one where absent. */
  readonly requestId?: string;
  /** Monotonic milliseconds; now where absent. */
  readonly startedAt?: number;
}

/** Records the requests of a process. */
export interface Tracer {
  /** Begins the span of a request. */
  startRequest(start: RequestStart): Span;
  /** Exports what is left, for a bounded time. */
  close(): Promise<void>;
}

/**
 * Opens the tracer of a service; undefined, so that nothing is recorded, without a collector. Every request is recorded,
 * because only its end shows whether it has failed. It is exported if it was sampled or has failed.
 */
export function openTracer({ service, config, registry, logger }: TracerOptions): Tracer | undefined {
  const { OTLP_ENDPOINT: endpoint, OTLP_HEADERS: headers = {}, TRACE_SAMPLE_RATE: rate } = config;
  const metrics = createSpanMetrics(registry);
  if (endpoint === undefined) return undefined;
  const resource = { 'service.name': service, 'service.instance.id': randomUUID() };
  const exporter = startExporter({ endpoint, headers, resource, metrics, logger });
  return {
    startRequest: ({ operation, parent, isTrusted, requestId, startedAt = performance.now() }) =>
      Span.startRoot(exporter, {
        requestId,
        // Not derived from the trace id, which the client can choose.
        isSampled: isTrusted && parent !== undefined ? parent.isSampled : Math.random() < rate,
        parent,
        operation,
        startedAt,
      }),
    close: exporter.close,
  };
}
