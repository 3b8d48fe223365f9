import type { Page } from 'playwright-core';

/** Titles of dialogs. */
export const dialogTitles = '[role=dialog] h2';

/**
 * Records the texts at a selector from now on, also those that are there for a moment only.
 * @returns the texts so far, each as often as it appeared
 */
export async function watchTexts(page: Page, selector: string): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    const texts = (globalThis.textsSeen = []);
    let last = '';
    new MutationObserver(() => {
      const text = [...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent).join(' | ');
      if (text !== '' && text !== last) texts.push(text);
      last = text;
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  }`);
  return async () => JSON.parse(await page.evaluate('JSON.stringify(textsSeen)'));
}
