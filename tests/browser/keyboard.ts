import type { Page } from 'playwright-core';

/** What a screen reader says of the element that has the focus. */
export const focusOf = (page: Page): Promise<string> => page.locator(':focus').ariaSnapshot();

/** Presses Tab until the focus is on something, such as `button "Save"`. @throws when it does not come there */
export async function tabTo(page: Page, what: string, atMost = 30): Promise<void> {
  for (let presses = 0; presses < atMost; presses++) {
    await page.keyboard.press('Tab');
    if ((await focusOf(page)).includes(what)) return;
  }
  throw new Error(`The keyboard does not reach ${what}.`);
}
