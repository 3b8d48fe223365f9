import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerHttp2Stream } from 'node:http2';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { Client, credentials, Metadata, Server, status } from '@grpc/grpc-js';
import { expect, jest, test } from '@jest/globals';
import { createAuthority } from '../../../tests/harness/certificates.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createRegistry } from '../telemetry/metrics.ts';
import { fromGrpcError } from './errors.ts';
import { grpcService, startGrpcServer } from './server.ts';
import { channelCredentials } from './tls.ts';

const serialize = (value: { n: number }) => Buffer.from(JSON.stringify(value));
const deserialize = (bytes: Buffer): { n: number } => JSON.parse(bytes.toString());
const definition = {
  Double: {
    path: '/t.T/Double',
    requestStream: false,
    responseStream: false,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  },
};

/** A server whose one call waits until `finish`, and whose client is gone. */
async function serveAbandoned() {
  const began = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const handler = async ({ n }: { n: number }) => {
    began.resolve();
    await finished.promise;
    return { n };
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
    callers: {},
    services: [grpcService(definition, { Double: handler })],
    logger: createLogger({ service: 'test', level: 'silent' }),
    registry: createRegistry('test'),
  });
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = definition.Double;
  const gone = Promise.withResolvers<void>();
  const call = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { n: 1 }, () =>
    gone.resolve(),
  );
  await began.promise;
  call.cancel();
  await gone.promise;
  client.close();
  return { server, finish: finished.resolve };
}

/** Resolves when the next server that closes has no connection left. */
function untilDisconnected(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { tryShutdown } = Server.prototype;
  const spy = jest.spyOn(Server.prototype, 'tryShutdown');
  spy.mockImplementationOnce(function (this: Server, callback) {
    tryShutdown.call(this, (error) => {
      callback(error);
      resolve();
    });
  });
  return promise;
}

test('a server has not closed while a handler runs whose client is gone', async () => {
  const { server, finish } = await serveAbandoned();
  const disconnected = untilDisconnected();
  let isClosed = false;
  const closed = server.close(20_000).then(() => {
    isClosed = true;
  });
  await disconnected;
  await nextTurn();
  expect(isClosed).toBe(false);
  finish();
  await closed;
});

test('a call whose connection has ended is no error of the service', async () => {
  const lines: string[] = [];
  const { cert, key, ca } = createAuthority().sign(['reader', 'localhost']);
  const tls = {
    kind: 'mutual',
    ca: Buffer.from(ca),
    cert: Buffer.from(cert),
    key: Buffer.from(key),
  } as const;
  // As a reset does between the request and its handler.
  const lose = ({ stream }: { stream: ServerHttp2Stream }) =>
    stream.prependOnceListener('end', () => socketOf(stream.session).destroy());
  const onStream = (message: unknown) => lose(message as Parameters<typeof lose>[0]);
  subscribe('http2.server.stream.created', onStream);
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls,
    callers: { 't.T': ['reader'] },
    services: [grpcService(definition, { Double: async ({ n }) => ({ n }) })],
    logger: createLogger({ service: 'test', level: 'info', stream: { write: (line) => lines.push(line) } }),
    registry: createRegistry('test'),
  });
  const client = new Client(`localhost:${server.port}`, channelCredentials(tls));
  const { path, requestSerialize, responseDeserialize } = definition.Double;
  const error = await new Promise((resolve) =>
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { n: 1 }, resolve),
  );
  unsubscribe('http2.server.stream.created', onStream);
  client.close();
  await server.close(50);
  expect(error).toMatchObject({ code: status.UNAVAILABLE });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'info', code: 'UNAVAILABLE', reason: 'connection_ended' }),
  ]);
});

/** The socket below a session of HTTP/2, which itself only lends it. */
function socketOf(session: object | undefined = {}): TLSSocket {
  const values = Object.getOwnPropertySymbols(session).map((symbol) => Reflect.get(session, symbol));
  const socket = values.find((value) => value instanceof TLSSocket);
  if (socket === undefined) throw new Error('the session has no socket');
  return socket;
}

test('closing a server takes at most the grace period', async () => {
  const { server, finish } = await serveAbandoned();
  await server.close(50);
  finish();
});

test.each([
  [status.UNAVAILABLE, 'Connection dropped', 'unavailable', 'grpc_unavailable'],
  [
    status.INTERNAL,
    'Received RST_STREAM with code 0 (Call ended without gRPC status)',
    'unavailable',
    'grpc_unavailable',
  ],
  [status.INTERNAL, 'Received RST_STREAM with code 2', 'internal', 'grpc_internal'],
])('%i %s is %s', (code, details, kind, reason) => {
  const error = Object.assign(new Error(details), { code, details, metadata: new Metadata() });
  expect(fromGrpcError(error)).toMatchObject({ kind, reason });
});
