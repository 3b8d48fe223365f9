import { scaled } from './slowness.ts';

/** How many times longer than usual a busy machine may take, and the milliseconds after which a wait is given up in any case. */
const busyFactor = 12;

const longestMs = 60_000;

/**
 * Repeats until `probe` neither throws nor rejects, and returns its value. A bound for what never happens, not a
 * statement about time: `withinMs` is what an idle machine needs at most. What takes long is asked for less often, unless
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
