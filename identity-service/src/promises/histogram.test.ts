import { expect, test } from '@jest/globals';
import { countOf, histogramOf, mergeHistograms, quantileOf } from './histogram.ts';

const shares = [0.01, 0.5, 0.9, 0.99, 1];

/** Nearest rank of all values. */
function exactQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

/** The same numbers in each run. */
function numbers(count: number, seed: number, toMs: (share: number) => number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.ceil(toMs(state / 2_147_483_647));
  });
}

test.each([
  ['of a few milliseconds', numbers(1_440, 1, (share) => 1 + 6 * share)],
  ['from one millisecond to a minute', numbers(1_440, 2, (share) => 60_000 ** share)],
  ['with a slow tail', numbers(1_440, 3, (share) => (share < 0.985 ? 3 : 35_000 * share))],
  ['with one value', [17]],
  ['at each whole number', Array.from({ length: 60_000 }, (_, index) => index + 1)],
])('quantiles of times %s are exact or up to 5 percent more', (_, times) => {
  const slowestMs = Math.max(...times);
  for (const share of shares) {
    const exact = exactQuantile(times, share);
    const found = quantileOf(histogramOf(times), share, slowestMs) ?? 0;
    expect([share, found >= exact, found <= exact * 1.05]).toEqual([share, true, true]);
  }
});

test('times below 20 milliseconds, and the slowest of all, are exact', () => {
  for (let ms = 1; ms < 20; ms++) expect(quantileOf(histogramOf([ms, 90_000]), 0.5, 90_000)).toBe(ms);
  expect(quantileOf(histogramOf([1, 90_000]), 1, 90_000)).toBe(90_000);
});

test('no time has no quantile', () => {
  expect(quantileOf(histogramOf([]), 0.5, 0)).toBeUndefined();
});

test('a sum of histograms is the histogram of all times', () => {
  const days = [[1, 2, 3], [], [400, 70_000]];
  expect(mergeHistograms(days.map(histogramOf))).toEqual(histogramOf(days.flat()));
  expect(countOf(histogramOf(days.flat()))).toBe(5);
});
