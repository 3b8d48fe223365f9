/** Ratio of the upper bounds of two neighboring buckets: a quantile is at most a twentieth too high. */
const growth = 1.05;

/** Times of more milliseconds share the last bucket. No check waits longer. */
const maxMs = 60_000;

const lastBucket = Math.ceil(Math.log(maxMs) / Math.log(growth)) + 1;

/** Number of times in each bucket; a bucket holds whole milliseconds up to its bound. */
export type Histogram = readonly number[];

/** The histogram of some times in whole milliseconds. */
export function histogramOf(times: readonly number[]): Histogram {
  const counts = Array<number>(lastBucket + 1).fill(0);
  for (const ms of times) {
    const bucket = bucketOf(ms);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(Math.ceil(Math.log(ms) / Math.log(growth)), lastBucket);
}

/** Sums histograms. */
export function mergeHistograms(histograms: readonly Histogram[]): Histogram {
  return histogramOf([]).map((_, bucket) => histograms.reduce((sum, each) => sum + (each[bucket] ?? 0), 0));
}

/** Number of times. */
export const countOf = (histogram: Histogram): number => histogram.reduce((sum, count) => sum + count, 0);

/**
 * Nearest rank, in whole milliseconds: the exact value or up to 5 % more, never less. Undefined without times.
 * @param slowestMs the greatest time, which bounds every quantile
 */
export function quantileOf(histogram: Histogram, share: number, slowestMs: number): number | undefined {
  let rest = Math.ceil(share * countOf(histogram));
  if (rest === 0) return undefined;
  for (const [bucket, count] of histogram.entries()) {
    rest -= count;
    if (rest <= 0)
      return bucket === lastBucket ? slowestMs : Math.min(Math.floor(growth ** bucket), slowestMs);
  }
  return undefined;
}
