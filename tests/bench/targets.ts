import type { Result } from './contender.ts';
import type { Target } from './table.ts';

/** What the warm gateway is meant to reach against the others, in the order in which main.ts measures them. */
export function targetsOf([, bare, warm, forwardOnly, uncached]: readonly Result[]): Target[] {
  if (bare === undefined || warm === undefined || forwardOnly === undefined || uncached === undefined) {
    throw new Error('every contender is measured');
  }
  const ratio = (other: Result) => warm.requestsPerSecond / other.requestsPerSecond;
  const added = warm.steadyP99 - bare.steadyP99;
  return [
    atLeast('requests/s over the bare proxy, at least 2.5', ratio(bare), 2.5),
    atLeast(
      'requests/s over its own stack without authorize and admit, at least 0.85',
      ratio(forwardOnly),
      0.85,
    ),
    atLeast('requests/s over itself with the cache off, at least 4', ratio(uncached), 4),
    atMost('p99 ms added to the bare proxy at 500 requests/s, at most 1', added, 1),
    atMost('RSS MB, at most 250', warm.rssMegabytes, 250),
  ];
}

function atLeast(text: string, value: number, wanted: number): Target {
  return { text, value, reached: value >= wanted };
}

function atMost(text: string, value: number, wanted: number): Target {
  return { text, value, reached: value <= wanted };
}
