import type { Page } from 'playwright-core';

/** Sizes of screens that pages are made for. */
export const desk = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/** How wide a page is, beyond the edge of the screen as well. Waits for its styles: a click waits for its beginning only. */
export async function widthOf(page: Page): Promise<number> {
  await page.waitForLoadState();
  return Number(await page.evaluate('document.documentElement.scrollWidth'));
}
