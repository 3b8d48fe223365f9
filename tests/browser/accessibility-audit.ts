import type { Page } from 'playwright-core';
import { axeViolations } from './axe-violations.ts';
import { desk, phone, widthOf } from './screens.ts';

/** Errors of an open page in accessibility and width, in light and dark, on a desktop and on a phone. */
export async function auditAccessibility(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  const errors: string[] = [];
  for (const size of [desk, phone]) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await axeViolations(page);
      errors.push(...found.map((error) => `${colorScheme}, ${size.width} px: ${error}`));
    }
    const width = await widthOf(page);
    if (width > size.width) errors.push(`${width} px wide on a screen of ${size.width} px`);
  }
  if (before !== null) await page.setViewportSize(before);
  return errors;
}
