import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { signUp } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await sharedPlatform();
});
afterAll(() => platform.close());

const get = (path: string) => platform.request(0, 'GET', path);

test('the front page links to sign-up, login and documentation, and redirects people who are logged in', async () => {
  const page = await createBrowser(platform.gatewayPorts[0] ?? 0).open('/');
  expect(page.status).toBe(200);
  for (const path of ['/signup', '/login', '/docs']) expect(page.text).toContain(`href="${path}"`);
  const { browser } = await signUp(platform);
  expect((await browser.send('GET', '/')).headers.location).toBe('/dashboard');
});

test.each([
  ['/login/?continue=%2Fdashboard', '/login?continue=%2Fdashboard'],
  ['/operators/', '/operators'],
  ['/dashboard/', '/dashboard'],
  ['/docs/', '/docs'],
])('%s redirects to the page without the final slash', async (path, location) => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await platform.request(0, method, path);
    expect([status, headers.location]).toEqual([308, location]);
  }
});

test.each(['/nothing/', '/login//', '/v2/order/', '//login/'])(
  '%s is not a page, and is not redirected',
  async (path) => {
    const { status, headers } = await get(path);
    expect([[400, 401, 404].includes(status), headers.location]).toEqual([true, undefined]);
  },
);

test('a form that is sent to a path with a final slash is not redirected', async () => {
  expect((await platform.request(0, 'POST', '/login/')).status).toBe(404);
});
