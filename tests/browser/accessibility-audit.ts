import type { Page } from 'playwright-core';
import { axeViolations } from './axe-violations.ts';
import { desk, phone, widthOf } from './screens.ts';

/** What is wrong with a page that is open, in light and dark, on a desk and on a phone: for people, and for its width. */
export async function auditAccessibility(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  const faults: string[] = [];
  for (const size of [desk, phone]) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await axeViolations(page);
      faults.push(...found.map((fault) => `${colorScheme}, ${size.width} px: ${fault}`));
    }
    const width = await widthOf(page);
    if (width > size.width) faults.push(`${width} px wide on a screen of ${size.width} px`);
  }
  if (before !== null) await page.setViewportSize(before);
  return faults;
}
