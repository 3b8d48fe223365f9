import { describe, expect, test } from '@jest/globals';
import { createStandAside, LoadShedder } from './overload.ts';

/** Of a thousand requests, how many are refused. */
const refusedOf = (shedder: LoadShedder) =>
  Array.from({ length: 1_000 }, () => shedder.isNextRefused()).filter(Boolean).length;

function looks(shedder: LoadShedder, late: number, count: number): void {
  for (let i = 0; i < count; i++) shedder.observe(late);
}

/** One with so many requests under way. */
function busyShedder(underWay = 100): LoadShedder {
  const shedder = new LoadShedder();
  for (let i = 0; i < underWay; i++) shedder.begin();
  return shedder;
}

test('a loop that is late with little to do refuses nothing: others keep it from its turn', () => {
  const shedder = busyShedder(99);
  looks(shedder, 100, 100);
  expect(refusedOf(shedder)).toBe(0);
  const end = shedder.begin();
  expect(refusedOf(shedder)).toBeGreaterThan(900);
  end();
  expect(refusedOf(shedder)).toBe(0);
});

test('a quiet loop, and one long pause, refuse nothing', () => {
  const shedder = busyShedder();
  looks(shedder, 5, 100);
  shedder.observe(5_000);
  looks(shedder, 200, 3);
  expect(refusedOf(shedder)).toBe(0);
});

test('a loop that stays late refuses more and more, and never everything', () => {
  const shedder = busyShedder();
  looks(shedder, 100, 5);
  const first = refusedOf(shedder);
  looks(shedder, 100, 5);
  const second = refusedOf(shedder);
  looks(shedder, 100, 100);
  expect(first).toBeGreaterThan(50);
  expect(second).toBeGreaterThan(first);
  expect(refusedOf(shedder)).toBeLessThanOrEqual(951);
});

test('once the loop is in time again, all get in within a second', () => {
  const shedder = busyShedder();
  looks(shedder, 100, 100);
  looks(shedder, 0, 50);
  expect(refusedOf(shedder)).toBe(0);
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How many of so many that stood aside have gone on after each turn of the event loop. */
async function goneOnByTurn(count: number): Promise<number[]> {
  const standAside = createStandAside();
  const order: number[] = [];
  for (let i = 0; i < count; i++) void standAside().then(() => order.push(i));
  const gone: number[] = [order.length];
  while (order.length < count) {
    await turn();
    gone.push(order.length);
  }
  expect(order).toEqual(Array.from({ length: count }, (_, index) => index));
  return gone;
}

describe('requests that stand aside', () => {
  test('none goes on at once, and a few in each turn, in their order', async () => {
    expect(await goneOnByTurn(5)).toEqual([0, 2, 4, 5]);
  });

  test('those that come later do not go first', async () => {
    const standAside = createStandAside();
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) void standAside().then(() => order.push(name));
    await turn();
    await Promise.all([standAside().then(() => order.push('d')), standAside()]);
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });
});
