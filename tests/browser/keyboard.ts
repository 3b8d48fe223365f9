import type { Page } from 'playwright-core';
import { expectEventually } from '../harness/expect-eventually.ts';

/** Role and name of the focused element, as a screen reader says them. */
export const focusOf = (page: Page): Promise<string> => page.locator(':focus').ariaSnapshot();

/** Waits until the focus is on something, such as `button "Save"`: it follows what is shown. @throws when it does not come there */
export function focusComesTo(page: Page, what: string): Promise<void> {
  return expectEventually(
    async () => {
      const focus = await focusOf(page);
      if (!focus.includes(what)) throw new Error(`The focus is on ${focus}, and not on ${what}.`);
    },
    { withinMs: 30_000 },
  );
}

/** Presses Tab until the focus is on something, such as `button "Save"`. @throws when it does not come there */
export async function tabTo(page: Page, what: string, atMost = 30): Promise<void> {
  for (let presses = 0; presses < atMost; presses++) {
    await page.keyboard.press('Tab');
    if ((await focusOf(page)).includes(what)) return;
  }
  throw new Error(`The keyboard does not reach ${what}.`);
}

/** Waits until the focus is in a dialog: keys that are pressed before go to the page behind. */
export function focusComesInto(page: Page, title: string): Promise<void> {
  return page.getByRole('dialog', { name: title }).locator(':focus').waitFor();
}

/** Closes the dialog that shows a secret once, by the keyboard. */
export async function storeSecret(page: Page, title: string): Promise<void> {
  await focusComesInto(page, title);
  await tabTo(page, 'I have stored it');
  await page.keyboard.press('Space');
  await tabTo(page, 'button "Done"');
  await page.keyboard.press('Enter');
}

/** Waits until timers of zero length have run in the page. */
export async function timersPassed(page: Page): Promise<void> {
  await page.evaluate('new Promise((passed) => setTimeout(passed))');
}
