import { scaled } from './slowness.ts';

/** Factor by which a busy machine may be slower than usual, and milliseconds after which any wait ends. */
const busyFactor = 12;

const longestMs = 60_000;

/**
 * Repeats until `probe` neither throws nor rejects, and returns its value. The time is a bound for failure, not a
 * statement about speed: `withinMs` is the most that an idle machine needs. Long waits probe less often, unless
 * `everyMs` says otherwise.
 * @throws what the last attempt threw
 */
export async function expectEventually<T>(
  probe: () => T | Promise<T>,
  { withinMs, everyMs }: { withinMs: number; everyMs?: number },
): Promise<T> {
  const startedAt = performance.now();
  const giveUpAt = startedAt + scaled(Math.min(withinMs * busyFactor, longestMs));
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error;
    }
    const pauseMs = Math.min(25 + (performance.now() - startedAt) / 10, 250);
    await new Promise((resolve) => setTimeout(resolve, everyMs ?? pauseMs));
  }
}
