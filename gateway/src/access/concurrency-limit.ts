/*
 * How many questions a gateway has at identity-service at once. More than it can work on would wait there, where nobody
 * sees their deadlines run out; so they wait here, first come first served, and are given up when there is no time left
 * for the answer: late, not early. The limit follows the time that answers take (additive increase, multiplicative
 * decrease, as TCP shares a line): several gateways find their shares without knowing of each other.
 */

/** Runs work when it is its turn. */
export interface ConcurrencyLimit {
  /** The result of `work`. Rejects when it could not end by `endsAt` (monotonic milliseconds). */
  run<T>(work: () => Promise<T>, endsAt: number): Promise<T>;
}

export interface ConcurrencyLimitOptions {
  /** Milliseconds that an answer may take before less is asked at once. */
  readonly targetMs: number;
  readonly monotonicNow: () => number;
  /** Hear how long work waited for its turn, and how long it took, in milliseconds. */
  readonly onWaited: (ms: number) => void;
  readonly onServed: (ms: number) => void;
}

interface Waiting {
  readonly since: number;
  readonly endsAt: number;
  start(): void;
  giveUp(): void;
}

const least = 32;

const most = 512;

const first = 64;

const decrease = 0.9;

const maxWaiting = 10_000;

export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { targetMs, monotonicNow, onWaited, onServed } = options;
  let limit = first;
  let running = 0;
  /** What an answer takes as of late, and how much that varies, in milliseconds. */
  let usualMs = 0;
  let variationMs = 0;
  let changedAt = 0;
  let waiting: Waiting[] = [];
  let next = 0;

  function learn(tookMs: number, now: number): void {
    variationMs += (Math.abs(tookMs - usualMs) - variationMs) / 16;
    usualMs += (tookMs - usualMs) / 16;
    if (usualMs <= targetMs) {
      // One more for each round of answers, where the limit is what holds back.
      if (running + 1 >= limit) limit = Math.min(most, limit + 1 / limit);
    } else if (now - changedAt > usualMs) {
      limit = Math.max(least, limit * decrease);
      changedAt = now;
    }
  }

  function take(): Waiting | undefined {
    const entry = waiting[next++];
    if (next > 1_000 && next * 2 > waiting.length) {
      waiting = waiting.slice(next);
      next = 0;
    }
    return entry;
  }

  function startNext(): void {
    while (running < Math.floor(limit) && next < waiting.length) {
      const entry = take();
      const timeLeft = (entry?.endsAt ?? 0) - monotonicNow();
      if (timeLeft < usualMs + 2 * variationMs) entry?.giveUp();
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
      learn(now - startedAt, now);
      onServed(now - startedAt);
      startNext();
    }
  }

  return {
    run: <T>(work: () => Promise<T>, endsAt: number) => {
      const since = monotonicNow();
      if (running < Math.floor(limit) && next >= waiting.length) return serve(work);
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      if (waiting.length - next >= maxWaiting) return Promise.reject(new Error('too much is waiting'));
      waiting.push({
        since,
        endsAt,
        start: () => {
          onWaited(monotonicNow() - since);
          serve(work).then(resolve, reject);
        },
        giveUp: () => reject(new Error('no time is left for an answer')),
      });
      return promise;
    },
  };
}
