/**
 * Asks again until `probe` neither throws nor rejects, and returns its value.
 * @throws what the last attempt threw, when `withinMs` milliseconds are over
 */
export async function expectEventually<T>(
  probe: () => T | Promise<T>,
  { withinMs, everyMs = 25 }: { withinMs: number; everyMs?: number },
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
