import type { Page } from 'playwright-core';

/** Lets time pass in a page with an installed clock, in which the person does nothing. */
export async function passMinutes(page: Page, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) await page.clock.runFor(60_000);
}

/** Paths of the requests to the dashboard API from now on, in the order in which the page sends them. */
export function watchRequests(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/dashboard-api/')) paths.push(pathname);
  });
  return paths;
}
