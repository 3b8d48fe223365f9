/*
 * Adaptive concurrency limit for calls to identity-service. Calls beyond its capacity would wait there, unaware of
 * their deadlines; so they wait here, first in, first out, and are abandoned when too little time is left for a
 * response: late, not early. The limit follows the response time (additive increase, multiplicative decrease, as TCP
 * congestion control), so several gateways share the capacity without coordination.
 */

export interface ConcurrencyLimit {
  /** Resolves to the result of `work`. Rejects when `work` could not complete by `endsAt` (monotonic milliseconds). */
  run<T>(work: () => Promise<T>, endsAt: number): Promise<T>;
}

export interface ConcurrencyLimitOptions {
  /** Response time in milliseconds above which the limit falls. */
  readonly targetMs: number;
  readonly monotonicNow: () => number;
  /** Called with the wait for a slot and the duration of the work, in milliseconds. */
  readonly onWaited: (ms: number) => void;
  readonly onServed: (ms: number) => void;
}

interface Waiting {
  readonly endsAt: number;
  start(): void;
  abandon(): void;
}

const minLimit = 32;

const maxLimit = 512;

const initialLimit = 64;

const decreaseFactor = 0.9;

const maxWaiting = 10_000;

export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { targetMs, monotonicNow, onWaited, onServed } = options;
  let limit = initialLimit;
  let running = 0;
  /** Exponential moving averages of the response time and its deviation, in milliseconds. */
  let meanMs = 0;
  let variationMs = 0;
  let changedAt = 0;
  let waiting: Waiting[] = [];
  let next = 0;

  function updateLimit(tookMs: number, now: number): void {
    variationMs += (Math.abs(tookMs - meanMs) - variationMs) / 16;
    meanMs += (tookMs - meanMs) / 16;
    if (meanMs <= targetMs) {
      // Grows by about one per round of responses, and only while calls are held back by the limit.
      if (running + 1 >= limit) limit = Math.min(maxLimit, limit + 1 / limit);
    } else if (now - changedAt > meanMs) {
      limit = Math.max(minLimit, limit * decreaseFactor);
      changedAt = now;
    }
  }

  function shift(): Waiting | undefined {
    const entry = waiting[next++];
    if (next > 1_000 && next * 2 > waiting.length) {
      waiting = waiting.slice(next);
      next = 0;
    }
    return entry;
  }

  function startNext(): void {
    while (running < Math.floor(limit) && next < waiting.length) {
      const entry = shift();
      const timeLeft = (entry?.endsAt ?? 0) - monotonicNow();
      if (timeLeft < meanMs + 2 * variationMs) entry?.abandon();
      else entry?.start();
    }
  }

  async function serve<T>(work: () => Promise<T>): Promise<T> {
    running++;
    const startedAt = monotonicNow();
    try {
      return await work();
    } finally {
      const now = monotonicNow();
      running--;
      updateLimit(now - startedAt, now);
      onServed(now - startedAt);
      startNext();
    }
  }

  return {
    run: <T>(work: () => Promise<T>, endsAt: number) => {
      if (running < Math.floor(limit) && next >= waiting.length) return serve(work);
      if (waiting.length - next >= maxWaiting) return Promise.reject(new Error('too many calls are waiting'));
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const since = monotonicNow();
      waiting.push({
        endsAt,
        start: () => {
          onWaited(monotonicNow() - since);
          serve(work).then(resolve, reject);
        },
        abandon: () => reject(new Error('too little time is left for a response')),
      });
      return promise;
    },
  };
}
