import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Breakers } from './breaker.ts';

const down = (breakers: Breakers, times: number, now: number) => {
  for (let count = 0; count < times; count++) breakers.record('we_1', true, now);
};

test('an endpoint has one attempt in flight until its first success, then five', () => {
  const breakers = new Breakers();
  expect(breakers.limit('we_1', 0)).toBe(1);
  breakers.record('we_1', false, 0);
  expect(breakers.limit('we_1', 0)).toBe(5);
  breakers.record('we_1', true, 0);
  expect(breakers.limit('we_1', 0)).toBe(1);
  expect(breakers.limit('we_2', 0)).toBe(1);
});

test('five failures in a row open the circuit, four and a success do not', () => {
  const breakers = new Breakers();
  down(breakers, 4, 0);
  breakers.record('we_1', false, 0);
  down(breakers, 4, 0);
  expect(breakers.limit('we_1', 0)).toBe(1);
  down(breakers, 1, 0);
  expect(breakers.limit('we_1', 0)).toBe(0);
  expect(breakers.openUntil('we_1', 0)).toBe(10_000);
  expect(breakers.counts(0)).toEqual({ open: 1, 'half-open': 0 });
});

test('half-open, one probe decides', () => {
  const breakers = new Breakers();
  down(breakers, 5, 0);
  expect(breakers.limit('we_1', 9_999)).toBe(0);
  expect(breakers.limit('we_1', 10_000)).toBe(1);
  expect(breakers.openUntil('we_1', 10_000)).toBeUndefined();
  expect(breakers.counts(10_000)).toEqual({ open: 0, 'half-open': 1 });
  breakers.record('we_1', true, 10_000);
  expect(breakers.openUntil('we_1', 10_000)).toBe(30_000);
  breakers.record('we_1', false, 30_000);
  expect(breakers.limit('we_1', 30_000)).toBe(5);
  expect(breakers.counts(30_000)).toEqual({ open: 0, 'half-open': 0 });
});

test('openings become longer, up to five minutes, and begin anew after a success', () => {
  const breakers = new Breakers();
  const openings: number[] = [];
  let now = 0;
  down(breakers, 4, now);
  for (let count = 0; count < 8; count++) {
    down(breakers, 1, now);
    const until = breakers.openUntil('we_1', now) ?? Number.NaN;
    openings.push((until - now) / 1_000);
    now = until;
  }
  expect(openings).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  breakers.record('we_1', false, now);
  down(breakers, 5, now);
  expect(breakers.openUntil('we_1', now)).toBe(now + 10_000);
});

test('attempts that were in flight when the circuit opened do not prolong it', () => {
  const breakers = new Breakers();
  down(breakers, 5, 0);
  down(breakers, 4, 5_000);
  expect(breakers.openUntil('we_1', 5_000)).toBe(10_000);
});

test('a reset endpoint begins as a new one', () => {
  const breakers = new Breakers();
  down(breakers, 5, 0);
  breakers.reset('we_1');
  expect(breakers.limit('we_1', 0)).toBe(1);
});

test('whatever happens, an endpoint is never shut out for more than five minutes', () => {
  const step = fc.record({ isDown: fc.boolean(), after: fc.integer({ min: 0, max: 1_000_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const breakers = new Breakers();
      let now = 0;
      for (const { isDown, after } of steps) {
        now += after;
        breakers.record('we_1', isDown, now);
        expect((breakers.openUntil('we_1', now) ?? now) - now).toBeLessThanOrEqual(300_000);
        expect(breakers.limit('we_1', now + 300_000)).toBeGreaterThanOrEqual(1);
      }
    }),
    { numRuns: 30 },
  );
});
