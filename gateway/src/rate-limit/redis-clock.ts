/** Redis's clock, as well as this process knows it: its last word, carried on by a clock that never jumps. */
export interface RedisClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Redis has just said what time it is there. Its clock is this process's own before it ever did. */
  learn(redisNow: number): void;
}

/** A difference that no reply can have taken: Redis's clock was set, or it is another server's. */
const jumpMs = 1_000;

export function createRedisClock(monotonicNow: () => number, wallNow: () => number): RedisClock {
  let offset = wallNow() - monotonicNow();
  return {
    now: () => Math.floor(monotonicNow() + offset),
    learn: (redisNow) => {
      const latest = redisNow - monotonicNow();
      // Replies that took longer say less than those that took less; the clocks drift by far less than this.
      offset = Math.abs(latest - offset) > jumpMs ? latest : Math.max(latest, offset - 1);
    },
  };
}
