import { expect, test } from '@jest/globals';
import { LoadShedder } from './shed-load.ts';

/** Of a thousand requests, how many are refused. */
const refusedOf = (shedder: LoadShedder) =>
  Array.from({ length: 1_000 }, () => shedder.isNextRefused()).filter(Boolean).length;

function looks(shedder: LoadShedder, late: number, count: number): void {
  for (let i = 0; i < count; i++) shedder.observe(late);
}

test('a quiet loop, and one long pause, refuse nothing', () => {
  const shedder = new LoadShedder();
  looks(shedder, 5, 100);
  shedder.observe(5_000);
  looks(shedder, 200, 3);
  expect(refusedOf(shedder)).toBe(0);
});

test('a loop that stays late refuses more and more, and never everything', () => {
  const shedder = new LoadShedder();
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
  const shedder = new LoadShedder();
  looks(shedder, 100, 100);
  looks(shedder, 0, 50);
  expect(refusedOf(shedder)).toBe(0);
});
