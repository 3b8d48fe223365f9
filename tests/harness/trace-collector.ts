import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const value = z.union([
  z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }).transform(({ intValue }) => Number(intValue)),
]);

const attributes = z
  .array(z.strictObject({ key: z.string(), value }))
  .transform((pairs) => Object.fromEntries(pairs.map((pair) => [pair.key, pair.value])));

const nanos = z.string().regex(/^[1-9]\d{18}$/);

const span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  traceState: z.string().optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  status: z.strictObject({ code: z.literal(2) }).optional(),
});

/** An ExportTraceServiceRequest in OTLP's JSON encoding; fields that the protocol does not have are refused. */
const exportRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(span) }),
      ),
    }),
  ),
});

/** A span as a collector got it, with `service.name` of its process. */
export type CollectedSpan = z.output<typeof span> & { readonly service: string };

/** How a collector responds to an export: it accepts it, refuses it, or never responds. */
type Mode = 'accept' | 'fail' | 'hang';

/** An OTLP collector on loopback. */
export interface TraceCollector {
  readonly endpoint: string;
  /** Every span so far. @throws for an export that is not OTLP */
  spans(): readonly CollectedSpan[];
  /** Those of a trace. */
  trace(traceId: string): readonly CollectedSpan[];
  /** All bytes so far, as text. */
  bytes(): string;
  /** Headers of each export so far. */
  headers(): readonly IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** Starts a collector. */
export async function startTraceCollector(mode: Mode = 'accept'): Promise<TraceCollector> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    if (req.method !== 'POST' || req.url !== '/v1/traces') return void res.writeHead(404).end();
    bodies.push(Buffer.concat(chunks).toString());
    headers.push(req.headers);
    respond(res, mode);
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const spans = () => bodies.flatMap(spansOf);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    trace: (traceId) => spans().filter((each) => each.traceId === traceId),
    bytes: () => bodies.join('\n'),
    headers: () => headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(res: ServerResponse, mode: Mode): void {
  if (mode === 'accept') res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  if (mode === 'fail') res.writeHead(500).end();
}

function spansOf(body: string): CollectedSpan[] {
  return exportRequest.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(resource.attributes['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((each) => ({ ...each, service })));
  });
}
