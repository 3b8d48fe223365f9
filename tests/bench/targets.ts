import type { Result } from './contender.ts';
import type { Flood } from './flood.ts';
import type { Overload } from './overload.ts';
import type { Target } from './table.ts';

/** Targets of the warm gateway against the others, in the order in which main.ts measures them. */
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

/** Targets of the cold path under overload. */
export function overloadTargetsOf({ peak, goodput, recoveryMs, warmShare }: Overload): Target[] {
  return [
    atLeast('cold goodput at three times capacity over its peak, at least 0.8', goodput / peak, 0.8),
    atMost('seconds until every request succeeds again, at most 5', recoveryMs / 1_000, 5),
    atLeast('share of a warm client that succeeds meanwhile, at least 1', warmShare, 1),
  ];
}

/** Targets of clients with valid keys during a flood of guesses. */
export function floodTargetsOf({ guesses, quietP99, p99, coldShare }: Flood): Target[] {
  return [
    atLeast('guesses refused a second, at least 5000', guesses, 5_000),
    atLeast('share of cold keys that succeeds meanwhile, at least 1', coldShare, 1),
    atMost('p99 of warm keys over its value before, at most 2', p99 / quietP99, 2),
  ];
}

export function atLeast(text: string, value: number, wanted: number): Target {
  return { text, value, reached: value >= wanted };
}

export function atMost(text: string, value: number, wanted: number): Target {
  return { text, value, reached: value <= wanted };
}
