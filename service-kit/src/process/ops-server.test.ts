import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, expect, test } from '@jest/globals';
import { createRegistry } from '../telemetry/metrics.ts';
import { type OpsServer, type ReadinessCheck, startOpsServer } from './ops-server.ts';

let ops: OpsServer;
const start = async (...checks: ReadinessCheck[]) => {
  const registry = createRegistry('test');
  ops = await startOpsServer({ host: '127.0.0.1', port: 0, registry, checks, drainDelayMs: 0 });
};
afterEach(() => ops.close());

const get = (path: string) => fetch(`http://127.0.0.1:${ops.port}${path}`);
const readiness = async () => {
  const response = await get('/readyz');
  const { checks } = (await response.json()) as { checks: unknown };
  return { status: response.status, checks };
};
const hangs = () => new Promise<never>(() => undefined);

/** Reports in the order in which they come, and the longest time for which this process stood still meanwhile. */
async function inOrder(): Promise<{ order: string[]; stillMs: number }> {
  const order: string[] = [];
  const note = (what: string) => () => void order.push(what);
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();

  await Promise.all([get('/metrics').then(note('probes timed out')), readiness().then(note('readiness'))]);
  delays.disable();
  return { order, stillMs: delays.max / 1e6 };
}

/** Less than lies between the two reports. */
const maxStillMs = 500;

/**
 * The first scrape waits for its probes to time out, and readiness does not; of another server where this process stood still
 * until both were due.
 */
async function expectReadinessFirst(begin: () => Promise<void>): Promise<void> {
  for (;;) {
    await begin();
    const { order, stillMs } = await inOrder();
    if (stillMs < maxStillMs) return expect(order).toEqual(['readiness', 'probes timed out']);
    await ops.close();
  }
}

test('a hanging dependency that is never needed does not delay the readiness response', async () => {
  await expectReadinessFirst(() => start({ name: 'redis', needed: 'never', probe: hangs }));
  expect(await readiness()).toEqual({ status: 200, checks: { redis: 'timed out' } });
});

test('a hanging dependency that is needed at the start does not delay it after its first success', async () => {
  await expectReadinessFirst(async () => {
    let probe: () => Promise<unknown> = async () => undefined;
    await start({ name: 'identity-service', needed: 'at_start', probe: () => probe() });
    expect(await readiness()).toEqual({ status: 200, checks: { 'identity-service': 'ok' } });
    probe = hangs;
  });
  expect(await readiness()).toEqual({ status: 200, checks: { 'identity-service': 'timed out' } });
});

test.each(['always', 'at_start'] as const)(
  'a hanging dependency that is needed %s makes the service not ready after its timeout',
  async (needed) => {
    await start({ name: 'postgres', needed, probe: hangs }, { name: 'redis', needed: 'never', probe: hangs });
    expect(await readiness()).toEqual({
      status: 503,
      checks: { postgres: 'timed out', redis: 'timed out' },
    });
  },
);

test('a failed dependency that is never needed leaves the service ready', async () => {
  const probe = () => Promise.reject(new Error('refused'));
  await start({ name: 'redis', needed: 'never', probe });
  expect(await readiness()).toEqual({ status: 200, checks: { redis: 'failed' } });
});
