import { z } from 'zod';
import { logRarely } from './log-rarely.ts';
import type { Logger } from './logger.ts';
import { Counter, type Registry } from './metrics.ts';
import { encodeSpans } from './otlp.ts';
import type { Attributes, Span, SpanSink } from './span.ts';

/** Spans that wait, and those of one export. */
const maxWaiting = 4_096;

const batchSize = 512;

/** Milliseconds between exports, and the time limit for one. */
const everyMs = 1_000;

const exportLimitMs = 5_000;

/** Milliseconds that the end of the process waits for what is left. */
const closeLimitMs = 2_000;

/** Milliseconds between log lines about failures: one line counts them. */
const logEveryMs = 60_000;

/** Maximum failed but unsampled requests that one export contains, since in an outage all requests fail. */
const maxFailures = 50;

/**
 * Why spans were not exported: the queue was full, the collector refused the export or some of its spans, too many requests
 * had failed, or a request had too many spans.
 */
const dropReasons = ['queue_full', 'failed', 'rejected', 'many_failures', 'long_request'] as const;

type DropReason = (typeof dropReasons)[number];

/** Counters of spans; at 0 where tracing is off. */
export function createSpanMetrics(registry: Registry) {
  const registers = [registry];
  const exported = new Counter({
    name: 'trace_spans_exported_total',
    help: 'Spans that the collector accepted.',
    registers,
  });
  const dropped = new Counter({
    name: 'trace_spans_dropped_total',
    help: 'Spans that were to be exported and were not, by reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of dropReasons) dropped.inc({ reason }, 0);
  return {
    countExported: (count: number) => exported.inc(count),
    countDropped: (reason: DropReason, count: number) => dropped.inc({ reason }, count),
  };
}

/** A response may say that the collector took some of the spans only. */
const exportResponse = z.object({
  partialSuccess: z.object({ rejectedSpans: z.coerce.number().int().min(0).default(0) }).optional(),
});

export interface ExporterOptions {
  /** Origin of the collector. */
  readonly endpoint: string;
  /** Headers that the collector asks for, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the process. */
  readonly resource: Attributes;
  readonly metrics: ReturnType<typeof createSpanMetrics>;
  readonly logger: Logger;
}

/** Sends spans to a collector, in the background. */
export interface Exporter extends SpanSink {
  /** Exports what is left, for a bounded time; the rest is dropped. */
  close(): Promise<void>;
}

/**
 * Starts an exporter with a bounded queue and one export at a time. Spans that the collector does not accept are dropped and
 * counted, never sent again. Otherwise spans would take up memory while the collector is unavailable.
 */
export function startExporter({ endpoint, headers, resource, metrics, logger }: ExporterOptions): Exporter {
  const url = new URL('/v1/traces', endpoint).href;
  const stopped = new AbortController();
  const waiting: Span[] = [];
  let exporting: Promise<void> | undefined;
  let failures = 0;

  const logFailure = logRarely(logEveryMs, (failures, err: unknown) =>
    logger.warn({ err, failures }, 'the collector of traces did not accept spans'),
  );

  async function exportBatch(batch: readonly Span[]): Promise<void> {
    try {
      const rejected = await send(url, headers, encodeSpans(batch, resource), stopped.signal);
      metrics.countExported(batch.length - rejected);
      if (rejected > 0) metrics.countDropped('rejected', rejected);
    } catch (error) {
      metrics.countDropped('failed', batch.length);
      logFailure(error);
    }
  }

  async function exportAll(): Promise<void> {
    while (waiting.length > 0) await exportBatch(waiting.splice(0, batchSize));
  }

  function startExport(): Promise<void> {
    exporting ??= exportAll().finally(() => {
      exporting = undefined;
    });
    return exporting;
  }

  function enqueue(spans: readonly Span[]): void {
    const room = maxWaiting - waiting.length;
    waiting.push(...spans.slice(0, room));
    if (spans.length > room) metrics.countDropped('queue_full', spans.length - room);
    if (waiting.length >= batchSize) void startExport();
  }

  const timer = setInterval(() => {
    failures = 0;
    void startExport();
  }, everyMs);
  timer.unref();
  return {
    export: enqueue,
    exportFailed: (spans) => {
      if (failures++ < maxFailures) {
        enqueue(spans);
        return true;
      }
      metrics.countDropped('many_failures', spans.length);
      return false;
    },
    countExcess: () => metrics.countDropped('long_request', 1),
    close: async () => {
      clearInterval(timer);
      const limit = setTimeout(() => stopped.abort(), closeLimitMs);
      await startExport();
      clearTimeout(limit);
    },
  };
}

/** Sends one export; resolves to the number of spans that the collector rejected. @throws when it accepted none */
async function send(
  url: string,
  headers: ExporterOptions['headers'],
  body: string,
  stopped: AbortSignal,
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.any([AbortSignal.timeout(exportLimitMs), stopped]),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the collector responded with ${response.status}`);
  return exportResponse.safeParse(parseJson(text)).data?.partialSuccess?.rejectedSpans ?? 0;
}

/** Undefined for an empty response, as some collectors send it, or one in another format. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
