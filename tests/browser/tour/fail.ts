import type { Page } from 'playwright-core';

/** Lets requests be refused with 429, since the browser reports a 5xx as a problem. */
export async function fail(page: Page, address: string): Promise<void> {
  await page.route(address, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'X-Request-Id': '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60' },
      json: { error: 'Please try again in a moment.', status: 'Too Many Requests', code: 429 },
    }),
  );
}
