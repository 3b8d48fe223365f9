import { describe, expect, test } from '@jest/globals';
import { createDeferQueue, LoadShedder } from './overload.ts';

/** Number of refused requests out of a thousand. */
const shedCount = (shedder: LoadShedder) =>
  Array.from({ length: 1_000 }, () => shedder.shouldShed()).filter(Boolean).length;

/** Samples, and the requests that begin and end before each. */
function sample(shedder: LoadShedder, lateMs: number, count: number, begun = 100): void {
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < begun; j++) shedder.begin()();
    shedder.observe(lateMs);
  }
}

/** A shedder with requests in flight. */
function busyShedder(inFlight = 100): LoadShedder {
  const shedder = new LoadShedder();
  for (let i = 0; i < inFlight; i++) shedder.begin();
  return shedder;
}

test('no request is refused for a late event loop while few requests are in flight', () => {
  const shedder = busyShedder(99);
  sample(shedder, 100, 100);
  expect(shedCount(shedder)).toBe(0);
  const end = shedder.begin();
  expect(shedCount(shedder)).toBeGreaterThan(900);
  end();
  expect(shedCount(shedder)).toBe(0);
});

test('no request is refused for a late event loop while those in flight only wait and few others begin', () => {
  const shedder = busyShedder(1_000);
  sample(shedder, 100, 4);
  sample(shedder, 100, 100, 99);
  expect(shedCount(shedder)).toBe(0);
  sample(shedder, 100, 100);
  expect(shedCount(shedder)).toBeGreaterThan(900);
});

test('no request is refused for a fast event loop or for a single long pause', () => {
  const shedder = busyShedder();
  sample(shedder, 5, 100);
  shedder.observe(5_000);
  sample(shedder, 200, 3);
  expect(shedCount(shedder)).toBe(0);
});

test('an event loop that stays late refuses a growing share of requests, but never all', () => {
  const shedder = busyShedder();
  sample(shedder, 100, 5);
  const first = shedCount(shedder);
  sample(shedder, 100, 5);
  const second = shedCount(shedder);
  sample(shedder, 100, 100);
  expect(first).toBeGreaterThan(50);
  expect(second).toBeGreaterThan(first);
  expect(shedCount(shedder)).toBeLessThanOrEqual(951);
});

test('all requests are accepted within a second once the event loop is on time', () => {
  const shedder = busyShedder();
  sample(shedder, 100, 100);
  sample(shedder, 0, 50);
  expect(shedCount(shedder)).toBe(0);
});

test('the load shedder is at rest while few requests are in flight and none was refused lately', () => {
  const shedder = new LoadShedder();
  expect(shedder.isAtRest).toBe(true);
  const ends = Array.from({ length: 100 }, () => shedder.begin());
  expect(shedder.isAtRest).toBe(false);
  sample(shedder, 100, 5);
  for (const end of ends) end();
  expect(shedder.isAtRest).toBe(false);
  sample(shedder, 0, 50);
  expect(shedder.isAtRest).toBe(true);
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Number of resumed callers after each turn of the event loop. */
async function resumedByTurn(count: number): Promise<number[]> {
  const defer = createDeferQueue();
  const order: number[] = [];
  for (let i = 0; i < count; i++) void defer().then(() => order.push(i));
  const resumed: number[] = [order.length];
  while (order.length < count) {
    await turn();
    resumed.push(order.length);
  }
  expect(order).toEqual(Array.from({ length: count }, (_, index) => index));
  return resumed;
}

describe('deferred requests', () => {
  test('are resumed in later turns, a few per turn, in order', async () => {
    expect(await resumedByTurn(5)).toEqual([0, 2, 4, 5]);
  });

  test('are a thousand at most', async () => {
    const defer = createDeferQueue();
    for (let i = 0; i < 1_000; i++) void defer();
    let isResumed = false;
    void defer().then(() => (isResumed = true));
    await Promise.resolve();
    expect(isResumed).toBe(true);
  });

  test('are not overtaken by later ones', async () => {
    const defer = createDeferQueue();
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) void defer().then(() => order.push(name));
    await turn();
    await Promise.all([defer().then(() => order.push('d')), defer()]);
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });
});
