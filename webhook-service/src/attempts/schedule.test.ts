import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { quietHours } from '../endpoints/endpoint.ts';
import { maxAttempts, nextAttemptAt } from './schedule.ts';

const hour = 3_600_000;

/** The schedule of the documentation, in seconds. */
const seconds = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.integer({ min: 0, max: maxAttempts - 1 });
const now = fc.integer({ min: 0, max: 4_000_000_000_000 });

test('attempts without jitter follow the documented schedule and then stop', () => {
  const delays = seconds.map((_, count) => nextAttemptAt(count, 0, 0.5));
  expect(delays).toEqual(seconds.map((delay) => delay * 1_000));
  expect(nextAttemptAt(seconds.length, 0, 0.5)).toBeUndefined();
  expect(nextAttemptAt(1_000, 0, 0.5)).toBeUndefined();
});

test('the jitter of every attempt is at most a tenth of its delay', () => {
  fc.assert(
    fc.property(attempts, now, random, (count, at, dice) => {
      const delay = (seconds[count] ?? Number.NaN) * 1_000;
      const waited = (nextAttemptAt(count, at, dice) ?? Number.NaN) - at;
      expect(waited).toBeGreaterThanOrEqual(Math.floor(delay * 0.9));
      expect(waited).toBeLessThanOrEqual(Math.ceil(delay * 1.1));
    }),
  );
});

test('Retry-After delays an attempt by up to a day, and never makes it earlier', () => {
  fc.assert(
    fc.property(attempts, now, random, fc.integer({ min: -1, max: 100 * hour }), (count, at, dice, asked) => {
      const plain = nextAttemptAt(count, at, dice) ?? Number.NaN;
      const next = nextAttemptAt(count, at, dice, asked) ?? Number.NaN;
      expect(next).toBeGreaterThanOrEqual(plain);
      expect(next - at).toBeGreaterThanOrEqual(Math.min(asked, 24 * hour));
      expect(next - at).toBeLessThanOrEqual(24 * hour * 1.1);
    }),
  );
});

test('no attempt waits longer than the quiet time that ends a period of failures', () => {
  const waits = seconds.map((_, count) => nextAttemptAt(count, 0, 1, Number.POSITIVE_INFINITY) ?? 0);
  expect(Math.max(...waits)).toBeLessThan(quietHours * hour);
});

test('all attempts of a delivery take about 75 hours at most, regardless of the jitter', () => {
  fc.assert(
    fc.property(fc.array(random, { minLength: maxAttempts, maxLength: maxAttempts }), (dice) => {
      const end = dice.reduce((at, value, count) => nextAttemptAt(count, at, value) ?? Number.NaN, 0);
      const total = seconds.reduce((sum, delay) => sum + delay, 0) * 1_000;
      expect(end).toBeGreaterThanOrEqual(total * 0.9 - maxAttempts);
      expect(end).toBeLessThanOrEqual(total * 1.1 + maxAttempts);
    }),
  );
});

test.each([-1, 1.5, Number.NaN])('%p is no number of attempts', (count) => {
  expect(() => nextAttemptAt(count, 0, 0.5)).toThrow(RangeError);
});
