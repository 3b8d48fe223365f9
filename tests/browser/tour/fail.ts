import type { Page } from 'playwright-core';

/** Lets questions be refused. Not as a fault of the server's, of which the browser would complain. */
export async function fail(page: Page, address: string): Promise<void> {
  await page.route(address, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'X-Request-Id': '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60' },
      json: { error: 'Please try again in a moment.', status: 'Too Many Requests', code: 429 },
    }),
  );
}
