import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLiveness } from './liveness.ts';

class Answered extends Error {}

/** A peer whose probes end when the test says so. */
function setUp() {
  const probes: PromiseWithResolvers<void>[] = [];
  const liveness = createLiveness({
    probe: () => {
      const probe = Promise.withResolvers<void>();
      probes.push(probe);
      return probe.promise;
    },
    isAnswer: (error) => error instanceof Answered,
    deadError: () => new Error('dead'),
    patienceMs: 200,
  });
  const call = () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const outcome = liveness.watch(() => promise).catch((error: Error) => error.message);
    return { outcome, answer: () => resolve('answer'), fail: reject };
  };
  return { liveness, probes, call };
}

beforeEach(() => void jest.useFakeTimers({ now: 0 }));

afterEach(() => void jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('a call that is slow is waited for as long as the peer answers a probe', async () => {
  const { probes, call, liveness } = setUp();
  const slow = call();
  for (let i = 0; i < 20; i++) {
    await pass(50);
    for (const { resolve } of probes.splice(0)) resolve();
  }
  expect(liveness.isDead()).toBe(false);
  slow.answer();
  expect(await slow.outcome).toBe('answer');
});

test('a call that is slow is waited for while others are answered, and nobody probes', async () => {
  const { probes, call } = setUp();
  const slow = call();
  for (let i = 0; i < 20; i++) {
    await pass(50);
    const other = call();
    if (i % 2) other.answer();
    else other.fail(new Answered());
  }
  expect(probes).toEqual([]);
  slow.answer();
  expect(await slow.outcome).toBe('answer');
});

test('a call is given up after 200 ms in which neither it nor the probe was answered', async () => {
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

test('a peer that stands still for less than that costs no call', async () => {
  const { call, probes } = setUp();
  const calls = [call(), call()];
  await pass(180);
  probes[0]?.resolve();
  await pass(180);
  for (const { answer } of calls) answer();
  expect(await Promise.all(calls.map(({ outcome }) => outcome))).toEqual(['answer', 'answer']);
});

test('a call that ran out of its own time is no sign of life', async () => {
  const { call } = setUp();
  const [one, other] = [call(), call()];
  await pass(100);
  one.fail(new Error('deadline exceeded'));
  await pass(150);
  expect(await other.outcome).toBe('dead');
});

test('a peer that stays silent is dead: calls end at once until a probe is answered', async () => {
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
  next.answer();
  expect(await next.outcome).toBe('answer');
});

test('so is one that is asked once in a while only', async () => {
  const { call, liveness } = setUp();
  for (let i = 0; i < 3; i++) {
    const { outcome } = call();
    await pass(300);
    expect(await outcome).toBe('dead');
  }
  expect(liveness.isDead()).toBe(true);
});

test('a quiet peer is not probed while nothing is asked of it', async () => {
  const { call, probes } = setUp();
  const done = call();
  done.answer();
  await done.outcome;
  await pass(10_000);
  expect(probes).toEqual([]);
});
