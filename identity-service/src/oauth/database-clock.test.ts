import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDatabaseClock } from './database-clock.ts';

test('the quickest reply of the last seconds counts', () => {
  const clock = createDatabaseClock();
  clock.sample(1_000_010, 60);
  clock.sample(1_000_100, 101);
  clock.sample(1_000_200, 240);
  expect(clock.toDatabase(300)).toBe(1_000_299);
});

test('a moment is never placed later than it was', () => {
  const delays = fc.array(fc.record({ wait: fc.nat(4_000), delay: fc.nat(500) }), { minLength: 1 });
  fc.assert(
    fc.property(delays, (samples) => {
      const clock = createDatabaseClock();
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

test('old samples no longer count', () => {
  const clock = createDatabaseClock();
  clock.sample(1_000_100, 0);
  clock.sample(1_020_000, 20_000);
  expect(clock.toDatabase(20_000)).toBe(1_020_000);
});

test('without any sample everything counts as early', () => {
  expect(createDatabaseClock().toDatabase(5)).toBe(Number.NEGATIVE_INFINITY);
});
