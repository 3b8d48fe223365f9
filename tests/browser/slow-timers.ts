import type { BrowserContext } from 'playwright-core';

/** Delays timers of pages by a second, as on a busy machine; from the next page on. */
export async function slowTimers(context: BrowserContext): Promise<void> {
  await context.addInitScript(`{
    const later = window.setTimeout;
    window.setTimeout = (done, ms = 0, ...given) => later(done, ms + 1_000, ...given);
  }`);
}
