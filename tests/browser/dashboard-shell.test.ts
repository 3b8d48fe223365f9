import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { eventually } from '../harness/eventually.ts';
import { signUp } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { launchChromium, openWindow, type Window } from './chromium.ts';
import { type DashboardVisit, enterDashboard, logInAs } from './tour/enter-dashboard.ts';
import { violations } from './violations.ts';

/** What surrounds every page of the dashboard: the way in and out, navigation, switches, banners. */

let platform: Platform;
let chromium: Browser;
beforeAll(async () => {
  [platform, chromium] = await Promise.all([startPlatform(), launchChromium()]);
});
afterAll(async () => {
  await chromium?.close();
  await platform?.close();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

const phone = { width: 390, height: 844 };

async function open(options: BrowserContextOptions = {}): Promise<Window> {
  const window = await openWindow(chromium, { baseURL: platform.publicUrl, ...options });
  contexts.push(window.context);
  return window;
}

/** A new window in which somebody has come to the dashboard. */
async function enter(options: BrowserContextOptions = {}): Promise<Window & DashboardVisit> {
  const window = await open(options);
  return { ...window, ...(await enterDashboard(platform, window.page)) };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Waits for the value of an expression. Playwright's own way evaluates in the page, which its policy forbids. */
const becomes = (page: Page, expression: string, value: unknown) =>
  eventually(async () => expect(await page.evaluate(expression)).toBe(value), { withinMs: 5_000 });

const focusOf = (page: Page) => page.locator(':focus').ariaSnapshot();

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab');
    if ((await focusOf(page)).includes(`"${name}"`)) return;
  }
  throw new Error(`The keyboard does not reach ${name}.`);
}

describe('the way in', () => {
  test('a login leads to the overview of the business', async () => {
    const { page, problems, owner } = await enter();
    await heading(page, 'Overview').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${owner.businessId}`);
    expect(await page.title()).toBe('Overview · Analytical Engines · Business API');
    expect(problems).toEqual([]);
  });

  test('a login on the way to a page leads to that page', async () => {
    const { page, context, owner } = await enter();
    await context.clearCookies();
    await page.goto(`/dashboard/${owner.businessId}/audit`);
    await logInAs(page, owner);
    await heading(page, 'Audit log').waitFor();
  });

  test('the account has a link to it', async () => {
    const { page } = await enter();
    await page.goto('/account');
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await heading(page, 'Overview').waitFor();
  });

  test('what cannot be loaded says why, with the id of the request, and loads at another try', async () => {
    const { page } = await enter();
    const headers = { 'X-Request-Id': 'req-of-this-failure' };
    const json = {
      error: 'Something that we need does not answer.',
      status: 'Service Unavailable',
      code: 503,
    };
    await page.route('**/dashboard-api/session', (route) => route.fulfill({ status: 503, headers, json }));
    await page.goto('/dashboard');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/does not answer\..*req-of-this-failure/);
    await page.unroute('**/dashboard-api/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Overview').waitFor();
  });
});

describe('the way out', () => {
  test('when the session is over, the login leads back to where one was', async () => {
    const { page, owner, problems } = await enter();
    const here = `/dashboard/${owner.businessId}/developers/requests?status=429`;
    await page.goto(here);
    await heading(page, 'Requests').waitFor();
    await query(platform.databases.identity, 'DELETE FROM sessions WHERE person_id = $1', [owner.id]);
    // The page may have noticed by itself, and be on its way already.
    await page.reload().catch(() => undefined);
    await page.waitForURL(`/login?continue=${encodeURIComponent(here)}`);
    await logInAs(page, owner);
    await heading(page, 'Requests').waitFor();
    expect(new URL(page.url()).search).toBe('?status=429');
    expect(problems).toEqual([]);
  });

  test('also when it ends while the page is open', async () => {
    const { page, owner } = await enter();
    await query(platform.databases.identity, 'DELETE FROM sessions WHERE person_id = $1', [owner.id]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.waitForURL(`/login?continue=${encodeURIComponent(`/dashboard/${owner.businessId}/audit`)}`);
    await logInAs(page, owner);
    await heading(page, 'Audit log').waitFor();
  });

  test('logging out ends the session, and the back button brings nothing back', async () => {
    const { page, problems } = await enter();
    await page.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByText('You are logged out.').waitFor();
    await page.goBack();
    await page.waitForURL('/login?continue=**');
    expect(await page.getByText('Analytical Engines').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe('navigation', () => {
  test('works by keyboard: past it, through it, and back, with the focus on what is new', async () => {
    const { page, problems } = await enter();
    await heading(page, 'Overview').waitFor();
    await page.keyboard.press('Tab');
    expect(await focusOf(page)).toContain('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.locator(':focus').getAttribute('id')).toBe('main');

    await page.reload();
    await heading(page, 'Overview').waitFor();
    await tabTo(page, 'API keys');
    await page.keyboard.press('Enter');
    await heading(page, 'API keys').waitFor();
    expect(await focusOf(page)).toContain('heading "API keys"');
    expect(await page.title()).toMatch(/^API keys · /);
    expect(await page.getByRole('link', { name: 'API keys', exact: true }).getAttribute('aria-current')).toBe(
      'page',
    );

    await page.goBack();
    await heading(page, 'Overview').waitFor();
    expect(await focusOf(page)).toContain('heading "Overview"');
    expect(problems).toEqual([]);
  });

  test('begins a page at its top, and comes back to where one was', async () => {
    const { page } = await enter({ viewport: { width: 1280, height: 320 } });
    await heading(page, 'Overview').waitFor();
    await page.evaluate("document.querySelector('main').style.minHeight = '3000px'");
    await page.evaluate('scrollTo(0, 700)');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await heading(page, 'Audit log').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await heading(page, 'Overview').waitFor();
    await becomes(page, 'scrollY', 700);
  });

  test('menus are opened, gone through and closed by keyboard', async () => {
    const { page, problems } = await enter();
    await heading(page, 'Overview').waitFor();
    await tabTo(page, 'Business: Analytical Engines. Switch business');
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await eventually(async () => expect(await focusOf(page)).toContain('Analytical Engines engines-'), {
      withinMs: 2_000,
    });
    await page.keyboard.press('ArrowDown');
    expect(await focusOf(page)).toContain('second-');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await focusOf(page)).toContain('Switch business');
    expect(problems).toEqual([]);
  });

  test('leads to every page, and each is accessible in light and dark', async () => {
    const { page, problems } = await enter({ reducedMotion: 'reduce' });
    const names = ['Overview', 'API keys', 'Apps', 'Requests', 'Connected apps', 'Audit log', 'Business'];
    for (const name of names) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await heading(page, name).waitFor();
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: /Switch business/ }).click();
      await page.getByRole('menuitemradio').first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('menuitemradio').first().waitFor({ state: 'detached' });
    }
    expect(problems).toEqual([]);
  });

  test('on a phone the menu opens over the page, keeps the focus, and gives it back', async () => {
    const { page, problems } = await enter({ viewport: phone, hasTouch: true });
    await heading(page, 'Overview').waitFor();
    const burger = page.getByRole('button', { name: 'Open the menu' });
    await burger.click();
    const menu = page.getByRole('dialog', { name: 'Menu' });
    await menu.waitFor();
    expect(await violations(page)).toEqual([]);
    for (let presses = 0; presses < 15; presses++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
    }
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await focusOf(page)).toContain('Open the menu');

    await burger.click();
    await menu.getByRole('link', { name: 'Apps', exact: true }).click();
    await menu.waitFor({ state: 'detached' });
    await heading(page, 'Apps').waitFor();
    expect(await focusOf(page)).toContain('heading "Apps"');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe('the business', () => {
  test('is switched within the part that is open, and remembered', async () => {
    const { page, owner, secondBusinessId } = await enter();
    await page.goto(`/dashboard/${owner.businessId}/developers/keys/new`);
    await page.getByRole('button', { name: 'Business: Analytical Engines. Switch business' }).click();
    await page.getByRole('menuitemradio').last().click();
    await page.waitForURL(`/dashboard/${secondBusinessId}/developers/keys`);
    await heading(page, 'API keys').waitFor();
    await page.goto('/dashboard');
    await page.waitForURL(`/dashboard/${secondBusinessId}`);
  });

  test.each([
    ['that there is none of', () => '/dashboard/999999999/developers/keys'],
    ['of others', () => `/dashboard/${platform.businessId}`],
    ['that is no number', () => '/dashboard/javascript:alert(1)'],
  ])('%s is not found, in friendly words', async (_, path) => {
    const { page, owner, problems } = await enter();
    await page.goto(path());
    await heading(page, 'Business not found').waitFor();
    await page.getByRole('link', { name: 'Go to your dashboard' }).click();
    await page.waitForURL(`/dashboard/${owner.businessId}`);
    await heading(page, 'Overview').waitFor();
    expect(problems).toEqual([]);
  });

  test('a page that there is none of is not found either', async () => {
    const { page, owner } = await enter();
    await page.goto(`/dashboard/${owner.businessId}/settings/nothing`);
    await heading(page, 'Page not found').waitFor();
  });

  test('says on every page that it is frozen', async () => {
    const { page, owner } = await enter();
    await query(
      platform.databases.identity,
      "INSERT INTO business_freezes (business_id, person_id, reason) VALUES ($1, $2, 'a test')",
      [owner.businessId, owner.id],
    );
    for (const path of ['', '/audit']) {
      await page.goto(`/dashboard/${owner.businessId}${path}`);
      await page.getByText('API access is frozen').waitFor();
    }
    await heading(page, 'Audit log').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('says on every page that it is not verified', async () => {
    const { page } = await open();
    const person = await signUp(platform);
    await page.goto('/dashboard');
    await logInAs(page, person);
    await page.getByText('This business is not verified yet').waitFor();
    await page.getByRole('link', { name: 'Verify this business' }).click();
    await heading(page, 'Business').waitFor();
  });
});

describe('the colour scheme', () => {
  const scheme = "document.documentElement.getAttribute('data-mantine-color-scheme')";

  test('is the system’s, or the one that was chosen, from the first paint on', async () => {
    const { page } = await enter({ colorScheme: 'light' });
    expect(await page.evaluate(scheme)).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await becomes(page, scheme, 'dark');

    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: /^Colour scheme/ }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await becomes(page, scheme, 'dark');
    // What would repair it later does not get through.
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.reload({ waitUntil: 'domcontentloaded' });
    expect(await page.evaluate(scheme)).toBe('dark');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).not.toBe(
      'rgb(255, 255, 255)',
    );
  });
});

describe('a page that is out of date', () => {
  test('loads itself anew when it comes out of the browser’s memory', async () => {
    const { page } = await enter();
    await heading(page, 'Overview').waitFor();
    const loaded = page.waitForEvent('load');
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await loaded;
    await heading(page, 'Overview').waitFor();
  });

  test('loads itself anew when a part of it is not there any more', async () => {
    const { page } = await enter();
    await heading(page, 'Overview').waitFor();
    const part = '**/assets/audit-page-*.js';
    await page.route(part, (route) => route.fulfill({ status: 404, body: 'There is no such file.' }));
    const loaded = page.waitForEvent('load');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await loaded;
    await page.unroute(part);
    await page.reload();
    await heading(page, 'Audit log').waitFor();
  });

  test('says so when that does not help', async () => {
    const { page } = await enter();
    await heading(page, 'Overview').waitFor();
    await page.route('**/assets/audit-page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Audit log' }).click();
    await heading(page, 'Something went wrong').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await heading(page, 'Overview').waitFor();
  });
});

describe('what the browser loads', () => {
  test('comes from the platform alone, and its script stays within the budget', async () => {
    const { owner, context } = await enter();
    // The chart belongs to the first load as soon as there is something to show.
    const { id } = await platform.createKey({ businessId: owner.businessId });
    await query(
      platform.databases.identity,
      `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       VALUES ($1, date_trunc('hour', now(), 'UTC'), $2, 5, 0, 0, 0)`,
      [owner.businessId, id],
    );
    const fresh = await open({ storageState: await context.storageState() });
    const scripts: Promise<number>[] = [];
    const origins = new Set<string>();
    fresh.page.on('request', (request) => origins.add(new URL(request.url()).origin));
    fresh.page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script')
        scripts.push(request.sizes().then((sizes) => sizes.responseBodySize));
    });
    await fresh.page.goto(`/dashboard/${owner.businessId}`);
    await fresh.page
      .getByRole('img', { name: /^5 requests/ })
      .locator('canvas')
      .waitFor();
    await fresh.page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    expect([...origins]).toEqual([platform.publicUrl]);
    expect(scripts.length).toBeGreaterThan(2);
    expect(bytes).toBeGreaterThan(150_000);
    expect(bytes).toBeLessThan(250_000);
    expect(fresh.problems).toEqual([]);
  });

  test('an inline script does not run', async () => {
    const { page, problems } = await enter();
    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src="/nowhere" onerror="globalThis.ran = true">');
    `);
    await becomes(page, '[...document.images].at(-1).complete', true);
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(problems.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(0);
  });
});
