import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client, credentials, Metadata, Server, status } from '@grpc/grpc-js';
import { expect, jest, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { createRegistry } from '../metrics.ts';
import { fromGrpcError } from './errors.ts';
import { grpcService, startGrpcServer } from './server.ts';

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

test('it waits for its grace time at most', async () => {
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
