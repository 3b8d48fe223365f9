import { expect, test } from '@jest/globals';
import { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createAllowedOrigins } from './cors.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

const app = 'https://app.example';

/** An identity-service with a list that the test changes, and a clock that the test moves. */
function setUp() {
  const state = { now: 0, origins: [app], isLost: false, isFrozen: false, calls: [] as string[] };
  const whileFrozen = new Promise<never>(() => undefined);
  const rpc = {
    ListAllowedOrigins: async ({ knownVersion = '' }) => {
      state.calls.push(knownVersion);
      if (state.isFrozen) await whileFrozen;
      if (state.isLost) throw new Error('lost');
      const version = state.origins.join(' ') || 'none';
      return { version, origins: version === knownVersion ? [] : state.origins };
    },
  };
  const liveness = new Liveness({
    probe: async () => (state.isFrozen ? whileFrozen : undefined),
    isResponse: () => false,
    deadError: () => new Error('dead'),
    patienceMs: 40,
  });
  const origins = createAllowedOrigins({
    client: { rpc },
    liveness,
    deadlineMs: 100,
    monotonicNow: () => state.now,
    logger,
  });
  return { state, liveness, origins, has: async (origin: string) => origins.has(origin) };
}

test('any number of unknown origins costs one call a second', async () => {
  const { state, has } = setUp();
  const results = await Promise.all(Array.from({ length: 1_000 }, (_, i) => has(`https://${i}.example`)));
  expect(results).toEqual(Array(1_000).fill(false));
  for (let i = 0; i < 1_000; i++) await has(`https://${i}.example`);
  expect(state.calls).toEqual(['']);
  state.now = 1_000;
  await has('https://another.example');
  expect(state.calls).toEqual(['', app]);
});

test('a change is seen a second later, in both directions', async () => {
  const { state, has } = setUp();
  expect([await has(app), await has('https://new.example')]).toEqual([true, false]);
  state.origins = ['https://new.example'];
  state.now = 1_000;
  expect([await has('https://new.example'), await has(app)]).toEqual([true, false]);
});

test('while identity-service is unreachable the list is used for 30 s, then no origin is allowed', async () => {
  const { state, has } = setUp();
  expect(await has(app)).toBe(true);
  state.isLost = true;
  state.now = 29_999;
  expect(await has(app)).toBe(true);
  state.now = 30_000;
  expect(await has(app)).toBe(false);
  state.isLost = false;
  state.now = 31_000;
  expect(await has(app)).toBe(true);
});

test('a known origin does not wait for a slow response, an unknown one does', async () => {
  const { state, has, origins } = setUp();
  await has(app);
  state.now = 1_000;
  state.origins = [app, 'https://new.example'];
  const waiting = origins.has('https://new.example');
  expect([origins.has(app), waiting]).toEqual([true, expect.any(Promise)]);
  expect(await waiting).toBe(true);
});

test('an unknown origin does not wait for an identity-service that is frozen', async () => {
  const { state, liveness, has } = setUp();
  state.isFrozen = true;
  expect(await has(app)).toBe(false);
  expect(await has('https://unknown.example')).toBe(false);
  expect(state.calls).toEqual(['']);
  liveness.close();
});

test('origins are compared exactly', async () => {
  const { has } = setUp();
  for (const other of [
    'https://APP.example',
    'https://app.example/',
    'https://app.example, https://x',
    'null',
    '*',
    '',
  ]) {
    expect([other, await has(other)]).toEqual([other, false]);
  }
});
