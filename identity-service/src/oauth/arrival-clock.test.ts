import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createArrivalClock } from './arrival-clock.ts';

test('the quickest answer of the last seconds counts', () => {
  const clock = createArrivalClock();
  clock.sample(1_000_010, 60);
  clock.sample(1_000_100, 101);
  clock.sample(1_000_200, 240);
  expect(clock.toDatabase(300)).toBe(1_000_299);
});

test('a moment is never placed later than it was', () => {
  const delays = fc.array(fc.record({ wait: fc.nat(4_000), delay: fc.nat(500) }), { minLength: 1 });
  fc.assert(
    fc.property(delays, (samples) => {
      const clock = createArrivalClock();
      const ahead = 1_700_000_000_000;
      let monotonic = 0;
      for (const { wait, delay } of samples) {
        monotonic += wait;
        clock.sample(monotonic + ahead, monotonic + delay);
        expect(clock.toDatabase(monotonic)).toBeLessThanOrEqual(monotonic + ahead);
        expect(clock.toDatabase(monotonic)).toBeGreaterThanOrEqual(monotonic + ahead - 500);
      }
    }),
  );
});

test('what a clock said long ago does not count any more', () => {
  const clock = createArrivalClock();
  clock.sample(1_000_100, 0);
  clock.sample(1_020_000, 20_000);
  expect(clock.toDatabase(20_000)).toBe(1_020_000);
});

test('without any sample everything counts as early', () => {
  expect(createArrivalClock().toDatabase(5)).toBe(Number.NEGATIVE_INFINITY);
});
