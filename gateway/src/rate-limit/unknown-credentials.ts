import { LRUCache } from 'lru-cache';

/*
 * Who shows one credential after the other that is none is guessing, or runs a program with a key that is over. Both are
 * told to slow down; a credential that is good passes from the same address as ever. In each gateway for itself: these
 * requests go no further than it.
 */

/** Counts unknown credentials by network: an IPv4 address, or the /64 of an IPv6 one. */
export interface UnknownLimit {
  /** Counts one. Returns the milliseconds to wait before the next; 0 while there is room. */
  count(network: string): number;
}

export interface UnknownLimitOptions {
  readonly perMinute: number;
  /** Networks that are remembered. */
  readonly maxNetworks: number;
  /** Milliseconds on a clock that never jumps. */
  readonly monotonicNow: () => number;
}

/** Unknown credentials that a network may still show, as of a moment. */
interface Bucket {
  left: number;
  at: number;
}

/** A token bucket for each network: a minute's worth at once, then as fast as it fills. */
export function createUnknownLimit(options: UnknownLimitOptions): UnknownLimit {
  const { perMinute, maxNetworks, monotonicNow } = options;
  const perMs = perMinute / 60_000;
  const buckets = new LRUCache<string, Bucket>({ max: maxNetworks });
  return {
    count: (network) => {
      const now = monotonicNow();
      const bucket = buckets.get(network) ?? { left: perMinute, at: now };
      bucket.left = Math.min(perMinute, bucket.left + (now - bucket.at) * perMs);
      bucket.at = now;
      buckets.set(network, bucket);
      if (bucket.left < 1) return (1 - bucket.left) / perMs;
      bucket.left--;
      return 0;
    },
  };
}
