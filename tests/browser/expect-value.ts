import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectEventually } from '../harness/expect-eventually.ts';

/** Waits for the value of an expression. Playwright's own way evaluates in the page, which its policy forbids. */
export const expectValue = (page: Page, expression: string, value: unknown): Promise<void> =>
  expectEventually(async () => expect(await page.evaluate(expression)).toBe(value), { withinMs: 5_000 });
