import { afterEach, expect, test } from '@jest/globals';
import { createRegistry } from './metrics.ts';
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

/** Reports in the order in which they come; the first scrape waits for its probes to time out. */
async function inOrder(): Promise<string[]> {
  const order: string[] = [];
  const note = (what: string) => () => void order.push(what);
  await Promise.all([get('/metrics').then(note('probes timed out')), readiness().then(note('readiness'))]);
  return order;
}

test('a dependency that is never needed and hangs holds up no report of readiness', async () => {
  await start({ name: 'redis', needed: 'never', probe: hangs });
  expect(await inOrder()).toEqual(['readiness', 'probes timed out']);
  expect(await readiness()).toEqual({ status: 200, checks: { redis: 'timed out' } });
});

test('nor does one that was needed at the start, after its first success', async () => {
  let probe: () => Promise<unknown> = async () => undefined;
  await start({ name: 'identity-service', needed: 'at_start', probe: () => probe() });
  expect(await readiness()).toEqual({ status: 200, checks: { 'identity-service': 'ok' } });
  probe = hangs;
  expect(await inOrder()).toEqual(['readiness', 'probes timed out']);
  expect(await readiness()).toEqual({ status: 200, checks: { 'identity-service': 'timed out' } });
});

test.each(['always', 'at_start'] as const)(
  'a dependency that is needed %s and hangs is waited for, then missed',
  async (needed) => {
    await start({ name: 'postgres', needed, probe: hangs }, { name: 'redis', needed: 'never', probe: hangs });
    expect(await readiness()).toEqual({
      status: 503,
      checks: { postgres: 'timed out', redis: 'timed out' },
    });
  },
);

test('one that fails is not needed either', async () => {
  const probe = () => Promise.reject(new Error('refused'));
  await start({ name: 'redis', needed: 'never', probe });
  expect(await readiness()).toEqual({ status: 200, checks: { redis: 'failed' } });
});
