import type { Page } from 'playwright-core';
import { axeViolations } from './axe-violations.ts';
import { desk, phone, widthOf } from './screens.ts';

/** In the dark only colours differ. */
const views: readonly [size: typeof desk, colorScheme: 'light' | 'dark', rules: 'all' | 'contrast'][] = [
  [desk, 'light', 'all'],
  [desk, 'dark', 'contrast'],
  [phone, 'light', 'all'],
];

/** Errors of an open page in accessibility and width, in light and dark, on a desktop and on a phone. */
export async function auditAccessibility(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  const errors: string[] = [];
  for (const [size, colorScheme, rules] of views) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    const found = await axeViolations(page, rules);
    errors.push(...found.map((error) => `${colorScheme}, ${size.width} px: ${error}`));
    const width = await widthOf(page);
    if (width > size.width) errors.push(`${width} px wide on a screen of ${size.width} px`);
  }
  if (before !== null) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
  return errors;
}
