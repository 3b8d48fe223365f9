import { afterEach, expect, test } from '@jest/globals';
import { AppError } from '../app-error.ts';
import { createLogger } from '../logger.ts';
import { createRegistry } from '../metrics.ts';
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

async function serve(handler: Handler) {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
    callers: {},
    services: [grpcService<typeof definition, 'Count'>(definition, double, { Count: handler })],
    logger: createLogger({ service: 'test', level: 'silent' }),
    registry: createRegistry('test'),
  });
  const client = createGrpcClient(definition, {
    target: `ipv4:127.0.0.1:${server.port}`,
    tls: { kind: 'plain' },
  });
  opened.push(() => server.close(1_000), client.close);
  return { server, client };
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
  expect(await client.rpc.Double({ n: 21 }, { deadlineMs: 5_000 })).toEqual({ n: 42 });
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

test('a server that ends, ends its streams as unavailable', async () => {
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
    await client.rpc.Double({ n: 1 }, { deadlineMs: 5_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(written).toBeLessThan(1_000_000);
  await stream.return();
});

test('a handler of the wrong kind is refused at the start', () => {
  const wrong = { ...double, Count: async () => ({ n: 0 }) };
  expect(() => grpcService(definition, wrong)).toThrow('Count needs a handler for a stream');
});
