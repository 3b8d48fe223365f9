import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Liveness } from './liveness.ts';

class ResponseError extends Error {}

/** A peer whose probes end when the test says so. */
function setUp() {
  const probes: PromiseWithResolvers<void>[] = [];
  let pausedMs = 0;
  const liveness = new Liveness({
    probe: () => {
      const probe = Promise.withResolvers<void>();
      probes.push(probe);
      return probe.promise;
    },
    isResponse: (error) => error instanceof ResponseError,
    deadError: () => new Error('dead'),
    patienceMs: 200,
    monotonicNow: () => performance.now() + pausedMs,
  });
  /** This process does not run for a time: clocks go on, timers do not. */
  const pause = (ms: number) => {
    pausedMs += ms;
  };
  const call = () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const outcome = liveness.watch(() => promise).catch((error: Error) => error.message);
    return { outcome, respond: () => resolve('response'), fail: reject };
  };
  return { liveness, probes, call, pause };
}

beforeEach(() => void jest.useFakeTimers({ now: 0 }));

afterEach(() => void jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('a slow call continues while the peer responds to probes', async () => {
  const { probes, call, liveness } = setUp();
  const slow = call();
  for (let i = 0; i < 20; i++) {
    await pass(50);
    for (const { resolve } of probes.splice(0)) resolve();
  }
  expect(liveness.isDead()).toBe(false);
  slow.respond();
  expect(await slow.outcome).toBe('response');
});

test('a slow call continues without probes while others get responses', async () => {
  const { probes, call } = setUp();
  const slow = call();
  for (let i = 0; i < 20; i++) {
    await pass(50);
    const other = call();
    if (i % 2) other.respond();
    else other.fail(new ResponseError());
  }
  expect(probes).toEqual([]);
  slow.respond();
  expect(await slow.outcome).toBe('response');
});

test('a call is rejected after 200 ms without a response to it or the probe', async () => {
  const { call, liveness } = setUp();
  const first = call();
  await pass(100);
  const second = call();
  await pass(130);
  expect(await first.outcome).toBe('dead');
  expect(liveness.isDead()).toBe(false);
  await pass(100);
  expect(await second.outcome).toBe('dead');
});

test('a shorter pause of the peer rejects no call', async () => {
  const { call, probes } = setUp();
  const calls = [call(), call()];
  await pass(180);
  probes[0]?.resolve();
  await pass(180);
  for (const { respond } of calls) respond();
  expect(await Promise.all(calls.map(({ outcome }) => outcome))).toEqual(['response', 'response']);
});

test('a call that exceeds its own deadline does not count as a response of the peer', async () => {
  const { call } = setUp();
  const [one, other] = [call(), call()];
  await pass(100);
  one.fail(new Error('deadline exceeded'));
  await pass(150);
  expect(await other.outcome).toBe('dead');
});

test('a peer that stays silent is dead: calls are rejected at once until a probe succeeds', async () => {
  const { call, probes, liveness } = setUp();
  for (let i = 0; i < 4; i++) {
    void call();
    await pass(110);
  }
  expect(liveness.isDead()).toBe(true);
  expect(await call().outcome).toBe('dead');
  for (const { reject } of probes.splice(0)) reject(new Error('refused'));
  await pass(150);
  expect(probes).toHaveLength(1);
  expect(liveness.isDead()).toBe(true);
  probes[0]?.resolve();
  await pass(0);
  expect(liveness.isDead()).toBe(false);
  const next = call();
  next.respond();
  expect(await next.outcome).toBe('response');
});

test('a silent peer is found dead even when calls are rare', async () => {
  const { call, liveness } = setUp();
  for (let i = 0; i < 3; i++) {
    const { outcome } = call();
    await pass(300);
    expect(await outcome).toBe('dead');
  }
  expect(liveness.isDead()).toBe(true);
});

test('an idle peer is not probed', async () => {
  const { call, probes } = setUp();
  const done = call();
  done.respond();
  await done.outcome;
  await pass(10_000);
  expect(probes).toEqual([]);
});

test('a pause of this process does not count as silence of the peer', async () => {
  const { call, probes, pause, liveness } = setUp();
  const waiting = call();
  for (let i = 0; i < 4; i++) {
    await pass(20);
    pause(1_000);
  }
  await pass(20);
  expect(liveness.isDead()).toBe(false);
  waiting.respond();
  expect(await waiting.outcome).toBe('response');
  expect(probes.length).toBeLessThanOrEqual(1);
});

test('a process that gets little CPU still finds a dead peer', async () => {
  const { call, pause } = setUp();
  const { outcome } = call();
  for (let i = 0; i < 15; i++) {
    await pass(20);
    pause(100);
  }
  expect(await outcome).toBe('dead');
});
