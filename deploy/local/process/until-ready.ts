import type { Child } from './child.ts';
import { logTail } from './log-tail.ts';

/**
 * Resolves when `probe` does not throw any more. @throws when the process ends first, or is not ready
 * after `limitMs`; the text shows the end of its log
 */
export async function untilReady(
  child: Child,
  probe: () => Promise<unknown>,
  limitMs: number,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    try {
      await probe();
      return;
    } catch (cause) {
      const trouble = child.isRunning() ? `was not ready after ${limitMs} ms` : 'ended while starting';
      if (!child.isRunning() || performance.now() > giveUpAt) {
        throw new Error(`${child.name} ${trouble}:\n${logTail(child.logFile)}`, { cause });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
