import { describe, expect, test } from '@jest/globals';
import type { Outcome } from '../attempts/result.ts';
import { afterAttempt, concurrencyOf, type Health, healthOf, pauseOf } from './health.ts';

const good: Health = { consecutiveOutages: 0, isProven: true };

const after = (health: Health, ...results: readonly (number | Outcome)[]) =>
  results.reduce((before, result) => {
    if (typeof result !== 'number') return afterAttempt(before, { outcome: result, status: undefined });
    const outcome = result < 300 ? 'delivered' : 'refused';
    return afterAttempt(before, { outcome, status: result });
  }, health);

const outages = (count: number) => Array.from({ length: count }, () => 503);

describe('the circuit', () => {
  test('opens with the fifth outage in a row, and longer with each further one, up to five minutes', () => {
    expect(pauseOf(after(good, ...outages(4)))).toBeUndefined();
    expect([5, 6, 7, 20].map((count) => pauseOf(after(good, ...outages(count))))).toEqual([
      15_000, 30_000, 60_000, 300_000,
    ]);
  });

  test('closes with a success', () => {
    expect(after(good, ...outages(9), 200)).toEqual(good);
  });

  test('stays closed for a receiver that refuses single events', () => {
    expect(after(good, ...outages(4), 400, 422, 503)).toEqual({ consecutiveOutages: 1, isProven: true });
  });

  test('counts receivers without a response', () => {
    expect(pauseOf(after(good, 'timed_out', 'connection_failed', 'tls_failed', 'timed_out', 503))).toBe(
      15_000,
    );
  });

  test('is half open after its pause, with one attempt at a time, and opens again after one outage', () => {
    const lastSuccessAt = new Date(0);
    const found = healthOf({ consecutiveOutages: 5, lastSuccessAt });
    expect(concurrencyOf(found, 5)).toBe(1);
    expect(pauseOf(after(found, 503))).toBe(30_000);
    expect(concurrencyOf(after(found, 204), 5)).toBe(5);
  });

  test('allows one attempt at a time before the first success', () => {
    const found = healthOf({ consecutiveOutages: 0, lastSuccessAt: null });
    expect([concurrencyOf(found, 5), concurrencyOf(after(found, 204), 5)]).toEqual([1, 5]);
  });
});
