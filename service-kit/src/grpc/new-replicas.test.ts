import { experimental } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from '../telemetry/logger.ts';
import { createRegistry } from '../telemetry/metrics.ts';
import { createGrpcClient } from './client.ts';
import { grpcService, startGrpcServer } from './server.ts';

/** A name that DNS would resolve: these are its addresses at the moment. */
const ports: number[] = [];

class ListResolver implements experimental.Resolver {
  readonly #listener: experimental.ResolverListener;
  #pending = false;
  constructor(_target: experimental.GrpcUri, listener: experimental.ResolverListener) {
    this.#listener = listener;
  }
  /** As that of DNS, not for each call at once: balancers rely on that. */
  updateResolution(): void {
    if (this.#pending) return;
    this.#pending = true;
    setTimeout(() => {
      this.#pending = false;
      const endpoints = ports.map((port) => ({ addresses: [{ host: '127.0.0.1', port }] }));
      this.#listener(experimental.statusOrFromValue(endpoints), {}, null, '');
    }, 50);
  }
  destroy(): void {}
  static getDefaultAuthority(): string {
    return 'replicas';
  }
}
experimental.registerResolver('list', ListResolver);

const method = {
  path: '/t.T/Name',
  requestStream: false,
  responseStream: false,
  requestSerialize: (value: object) => Buffer.from(JSON.stringify(value)),
  requestDeserialize: (bytes: Buffer): object => JSON.parse(bytes.toString()),
  responseSerialize: (value: { name: string }) => Buffer.from(JSON.stringify(value)),
  responseDeserialize: (bytes: Buffer): { name: string } => JSON.parse(bytes.toString()),
};
const definition = { Name: method };

const opened: (() => unknown)[] = [];
beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: [
      'setTimeout',
      'clearTimeout',
      'setImmediate',
      'nextTick',
      'performance',
      'Date',
      'queueMicrotask',
    ],
  });
});
afterEach(async () => {
  jest.useRealTimers();
  ports.splice(0);
  for (const close of opened.splice(0).reverse()) await close();
});

/** A server that responds with its name, and is a replica from now on. */
async function addReplica(name: string): Promise<void> {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
    callers: {},
    services: [grpcService(definition, { Name: async () => ({ name }) })],
    logger: createLogger({ service: 'test', level: 'silent' }),
    registry: createRegistry('test'),
  });
  opened.push(() => server.close(100));
  ports.push(server.port);
}

test('a new replica gets calls though no connection was lost, and no call fails meanwhile', async () => {
  await addReplica('a');
  const client = createGrpcClient(definition, { target: 'list:///replicas', tls: { kind: 'plain' } });
  opened.push(client.close);
  const call = async () => (await client.rpc.Name({}, { deadlineMs: 60_000 })).name;
  expect(new Set([await call(), await call()])).toEqual(new Set(['a']));

  await addReplica('b');
  expect(new Set([await call(), await call(), await call()])).toEqual(new Set(['a']));
  jest.advanceTimersByTime(10_000);
  const names = new Set<string>();
  while (names.size < 2) names.add(await call());
  expect(names).toEqual(new Set(['a', 'b']));
});
