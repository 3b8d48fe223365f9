import type { Page } from 'playwright-core';

/** Goes back, and waits until the page has returned by itself. */
export function backAndForth(page: Page): Promise<unknown> {
  return page.evaluate(`new Promise((returned) => {
    let changes = 0;
    navigation.addEventListener('currententrychange', () => ++changes === 2 && setTimeout(returned));
    history.back();
  })`);
}
