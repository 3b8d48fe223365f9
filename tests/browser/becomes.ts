import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from '../harness/eventually.ts';

/** Waits for the value of an expression. Playwright's own way evaluates in the page, which its policy forbids. */
export const becomes = (page: Page, expression: string, value: unknown): Promise<void> =>
  eventually(async () => expect(await page.evaluate(expression)).toBe(value), { withinMs: 5_000 });
