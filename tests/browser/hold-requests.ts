import type { Page } from 'playwright-core';
import { button } from './locators.ts';

/** Holds requests for a URL back until they are released. `sent` resolves when the first one has left the page. */
export async function holdRequests(page: Page, url: string) {
  let send: () => void = () => undefined;
  let release: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    send();
    await released;
    await route.continue();
  });
  return { sent, release };
}

/** Tries to close the dialog of a page whose request is held. */
export async function tryToClose(page: Page): Promise<void> {
  await button(page.getByRole('dialog'), 'Close').and(page.locator(':disabled')).waitFor();
  await page.keyboard.press('Escape');
}
