import type { BrowserContext } from 'playwright-core';

/** Lets what pages put off by a timer come a second late, as on a machine that is busy; from the next page on. */
export async function slowTimers(context: BrowserContext): Promise<void> {
  await context.addInitScript(`{
    const later = window.setTimeout;
    window.setTimeout = (done, ms = 0, ...given) => later(done, ms + 1_000, ...given);
  }`);
}
