import type { Page } from 'playwright-core';

/** Notes every dialog from now on, also one that is there for a moment only. @returns their titles so far, in order */
export async function watchDialogs(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`
    globalThis.dialogsSeen = [];
    new MutationObserver(() => {
      for (const dialog of document.querySelectorAll('[role=dialog]')) {
        const title = document.getElementById(dialog.getAttribute('aria-labelledby'))?.textContent;
        if (title && !dialogsSeen.includes(title)) dialogsSeen.push(title);
      }
    }).observe(document.body, { childList: true, subtree: true })`);
  return async () => JSON.parse(await page.evaluate('JSON.stringify(dialogsSeen)'));
}
