import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '../telemetry/logger.ts';
import { createRegistry } from '../telemetry/metrics.ts';
import { inRequest } from '../telemetry/request-context.ts';
import { type RootOptions, Span, spanKind } from '../telemetry/span.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { AppError } from '../values/app-error.ts';
import { createGrpcClient } from './client.ts';
import { grpcService, startGrpcServer } from './server.ts';
import type { StreamContext } from './streams.ts';

const serialize = (value: { n: number }) => Buffer.from(JSON.stringify(value));
const deserialize = (bytes: Buffer): { n: number } => JSON.parse(bytes.toString());
const method = (path: string, responseStream: boolean) => ({
  path,
  requestStream: false,
  responseStream,
  requestSerialize: serialize,
  requestDeserialize: deserialize,
  responseSerialize: serialize,
  responseDeserialize: deserialize,
});
const definition = { Double: method('/t.T/Double', false), Count: method('/t.T/Count', true) };
const double = { Double: async ({ n }: { n: number }) => ({ n: 2 * n }) };

type Handler = (request: { n: number }, context: StreamContext) => AsyncIterable<{ n: number }>;

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function serve(handler: Handler, tracer?: Tracer) {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
    callers: {},
    services: [grpcService<typeof definition, 'Count'>(definition, double, { Count: handler })],
    logger: createLogger({ service: 'test', level: 'silent' }),
    registry: createRegistry('test'),
    tracer,
  });
  const client = createGrpcClient(definition, {
    target: `ipv4:127.0.0.1:${server.port}`,
    tls: { kind: 'plain' },
  });
  opened.push(() => server.close(1_000), client.close);
  return { server, client };
}

// biome-ignore lint/correctness/useYield: it fails before its first message
async function* failing(error: Error): AsyncGenerator<{ n: number }> {
  throw error;
}

const unaborted = () => new AbortController().signal;
const until = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

/** The messages of a stream, and the error that ended it. */
async function readAll(stream: AsyncIterable<{ n: number }>) {
  const messages: number[] = [];
  try {
    for await (const { n } of stream) messages.push(n);
    return { messages };
  } catch (error) {
    return { messages, error };
  }
}

test('a stream has every message in order, beside calls with one response', async () => {
  const { client } = await serve(async function* ({ n }) {
    for (let i = 1; i <= n; i++) yield { n: i };
  });
  const { messages } = await readAll(client.streams.Count({ n: 5_000 }, { signal: unaborted() }));
  expect(messages).toEqual(Array.from({ length: 5_000 }, (_, i) => i + 1));
  expect(await client.rpc.Double({ n: 21 }, { deadlineMs: 60_000 })).toEqual({ n: 42 });
});

test('an error of the handler follows the messages before it', async () => {
  const { client } = await serve(async function* () {
    yield { n: 1 };
    throw new AppError('failed_precondition', 'not_today', 'not today');
  });
  const { messages, error } = await readAll(client.streams.Count({ n: 0 }, { signal: unaborted() }));
  expect(messages).toEqual([1]);
  expect(error).toMatchObject({ kind: 'failed_precondition', reason: 'not_today', message: 'not today' });
});

test.each(['leaves the loop', 'aborts its signal'])('the handler ends when the client %s', async (way) => {
  const ended = Promise.withResolvers<void>();
  const { client } = await serve(async function* (_, { signal }) {
    yield { n: 1 };
    await until(signal);
    ended.resolve();
  });
  const reader = new AbortController();
  for await (const { n } of client.streams.Count({ n: 0 }, { signal: reader.signal })) {
    expect(n).toBe(1);
    if (way === 'leaves the loop') break;
    reader.abort();
  }
  await ended.promise;
});

test('a server that shuts down ends its streams with UNAVAILABLE', async () => {
  const { server, client } = await serve(async function* (_, { signal }) {
    yield { n: 1 };
    await until(signal);
  });
  const stream = client.streams.Count({ n: 0 }, { signal: unaborted() });
  await stream.next();
  const rest = readAll(stream);
  await server.close(60_000);
  expect(await rest).toMatchObject({ messages: [], error: { kind: 'unavailable' } });
});

test('a reader that does not read stops the writer', async () => {
  let written = 0;
  const { client } = await serve(async function* (_, { signal }) {
    while (!signal.aborted) yield { n: written++ };
  });
  const stream = client.streams.Count({ n: 0 }, { signal: unaborted() });
  await stream.next();
  let before = -1;
  while (before !== written) {
    before = written;
    await client.rpc.Double({ n: 1 }, { deadlineMs: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(written).toBeLessThan(1_000_000);
  await stream.return();
});

/** A tracer that samples everything, and the spans that have ended. */
function startTracer() {
  const ended: Span[] = [];
  const sink = {
    export: (spans: readonly Span[]) => void ended.push(...spans),
    exportFailed: () => false,
    countExcess: () => undefined,
  };
  const startRoot = (options: Pick<RootOptions, 'operation' | 'parent' | 'requestId'>) =>
    Span.startRoot(sink, { isSampled: true, startedAt: performance.now(), ...options });
  const tracer: Tracer = {
    startRequest: ({ operation, parent }) =>
      startRoot({ operation, parent, ...(parent && { traceId: parent.traceId }) }),
    close: async () => undefined,
  };
  const operation = { name: 'request', kind: spanKind.server, attributes: {} };
  return { tracer, ended, startRoot: () => startRoot({ operation, parent: undefined }) };
}

test('the trace of a request has a span for opening a stream, up to the first message', async () => {
  const { tracer, ended, startRoot } = startTracer();
  const { client } = await serve(async function* (_, { signal }) {
    yield { n: 1 };
    await until(signal);
  }, tracer);
  const root = startRoot();
  const stream = client.streams.Count({ n: 0 }, { signal: unaborted() });
  await inRequest('request-1', () => stream.next(), root);
  const [served] = ended;
  expect(ended).toHaveLength(1);
  expect(served).toMatchObject({
    operation: { name: 't.T/Count', kind: spanKind.server },
    errorType: undefined,
  });
  root.end();
  const opening = ended.find(({ operation }) => operation.kind === spanKind.client);
  expect(opening).toMatchObject({
    parentId: root.id,
    operation: { name: 't.T/Count' },
    errorType: undefined,
  });
  expect([served?.traceId, served?.parentId]).toEqual([root.traceId, opening?.id]);
  await stream.return();
  expect(ended).toEqual([served, root, opening]);
});

test('a stream that does not open is an error on both sides', async () => {
  const { tracer, ended, startRoot } = startTracer();
  const unavailable = new AppError('unavailable', 'not_now', 'not now');
  const { client } = await serve(() => failing(unavailable), tracer);
  const root = startRoot();
  const stream = client.streams.Count({ n: 0 }, { signal: unaborted() });
  await expect(inRequest('request-1', () => stream.next(), root)).rejects.toMatchObject(unavailable);
  root.end();
  expect(ended.map(({ errorType }) => errorType)).toEqual(['UNAVAILABLE', undefined, 'UNAVAILABLE']);
});

test('a stream in the background begins no trace', async () => {
  const { tracer, ended } = startTracer();
  const { client } = await serve(async function* () {
    yield { n: 1 };
  }, tracer);
  expect(await readAll(client.streams.Count({ n: 0 }, { signal: unaborted() }))).toEqual({ messages: [1] });
  expect(ended).toEqual([]);
});

test('a server does not start with a handler of the wrong kind', () => {
  const wrong = { ...double, Count: async () => ({ n: 0 }) };
  expect(() => grpcService(definition, wrong)).toThrow('Count needs a handler for a stream');
});
