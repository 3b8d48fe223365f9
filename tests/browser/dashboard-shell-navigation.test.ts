import { describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { signUp } from '../harness/people.ts';
import { axeViolations } from './axe-violations.ts';
import { comeIn } from './dashboard-shell.ts';
import { expectValue } from './expect-value.ts';
import { focusComesTo, tabTo } from './keyboard.ts';
import { heading } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';
import { logInAs } from './tour/enter-dashboard.ts';

/** Navigation of the dashboard, selection of the business, colour scheme. */

const stage = setStage();
const enter = (options: BrowserContextOptions = {}) => comeIn(stage, options);

describe('navigation', () => {
  test('can be skipped and used with the keyboard, and moves the focus to the new page', async () => {
    const { page, problems } = await enter();
    await heading(page, 'Overview').waitFor();
    await page.keyboard.press('Tab');
    await focusComesTo(page, 'Skip to content');
    await page.keyboard.press('Enter');
    await page.locator('#main:focus').waitFor();

    await page.reload();
    await heading(page, 'Overview').waitFor();
    await tabTo(page, 'link "API Keys"', 20);
    await page.keyboard.press('Enter');
    await heading(page, 'API Keys').waitFor();
    await focusComesTo(page, 'heading "API Keys"');
    expect(await page.title()).toMatch(/^API Keys · Settings > Developers · /);
    expect(await page.getByRole('link', { name: 'API Keys', exact: true }).getAttribute('aria-current')).toBe(
      'page',
    );

    await page.goBack();
    await heading(page, 'Overview').waitFor();
    await focusComesTo(page, 'heading "Overview"');
    expect(problems).toEqual([]);
  });

  test('starts a page at its top, and restores the position on the way back', async () => {
    const { page } = await enter({ viewport: { width: 1280, height: 320 } });
    await heading(page, 'Overview').waitFor();
    await page.evaluate("document.querySelector('main').style.minHeight = '3000px'");
    await page.evaluate('scrollTo(0, 700)');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await heading(page, 'Audit log').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await heading(page, 'Overview').waitFor();
    await expectValue(page, 'scrollY', 700);
  });

  test('names pages as the documentation does', async () => {
    const { page, owner, problems } = await enter();
    const home = `/dashboard/${owner.businessId}`;
    await page.goto(`${home}/settings/developers/requests?status=429`);
    const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' });
    expect(await breadcrumb.textContent()).toBe('Settings > Developers');
    await page.goto(`${home}/settings/developers/apps/new`);
    await breadcrumb.getByRole('link', { name: 'Apps' }).click();
    await heading(page, 'Apps').waitFor();
    const place = 'Settings > Developers · Analytical Engines · Business API';
    await expectValue(page, 'document.title', `Apps · ${place}`);
    await page.goto(`${home}/settings/business`);
    await heading(page, 'Business').waitFor();
    await expectValue(page, 'document.title', 'Business · Settings · Analytical Engines · Business API');
    expect(problems).toEqual([]);
  });

  test('menus are opened, used and closed with the keyboard', async () => {
    const { page, problems } = await enter();
    await heading(page, 'Overview').waitFor();
    await tabTo(page, 'button "Business: Analytical Engines. Switch business"', 20);
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await focusComesTo(page, 'Analytical Engines engines-');
    await page.keyboard.press('ArrowDown');
    await focusComesTo(page, 'second-');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await focusComesTo(page, 'Switch business');
    expect(problems).toEqual([]);
  });

  test('leads to every page, and each is accessible in light and dark', async () => {
    const { page, problems } = await enter();
    const names = [
      'Overview',
      'Business',
      'Apps',
      'API Keys',
      'Webhooks',
      'Requests',
      'Connected apps',
      'Audit log',
    ];
    const menu = page.getByRole('navigation', { name: 'Dashboard' });
    for (const name of names) {
      await menu.getByRole('link', { name, exact: true }).click();
      await heading(page, name).waitFor();
    }
    expect(await menu.textContent()).toContain('SettingsBusinessSettings > DevelopersAppsAPI Keys');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('button', { name: /Switch business/ }).click();
      await page.getByRole('menuitemradio').first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('menuitemradio').first().waitFor({ state: 'detached' });
    }
    expect(problems).toEqual([]);
  });

  test('shows the page on a phone even if the code of the menu cannot be loaded', async () => {
    const { page } = await enter({ viewport: phone });
    await page.route('**/assets/navigation-drawer-*', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await heading(page, 'Overview').waitFor();
  });

  test('opens over the page on a phone, keeps the focus inside, and returns it', async () => {
    const { page, problems } = await enter({ viewport: phone, hasTouch: true });
    await heading(page, 'Overview').waitFor();
    const burger = page.getByRole('button', { name: 'Open menu' });
    await burger.click();
    const menu = page.getByRole('dialog', { name: 'Menu' });
    await menu.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    for (let presses = 0; presses < 15; presses++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
    }
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await focusComesTo(page, 'Open menu');

    await burger.click();
    await menu.getByRole('link', { name: 'Apps', exact: true }).click();
    await menu.waitFor({ state: 'detached' });
    await heading(page, 'Apps').waitFor();
    await focusComesTo(page, 'heading "Apps"');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(problems).toEqual([]);
  });
});

describe('the business', () => {
  test('can be switched within the open section, and the choice is stored', async () => {
    const { page, owner, secondBusinessId } = await enter();
    await page.goto(`/dashboard/${owner.businessId}/settings/developers/keys/new`);
    await page.getByRole('button', { name: 'Business: Analytical Engines. Switch business' }).click();
    await page.getByRole('menuitemradio').last().click();
    await page.waitForURL(`/dashboard/${secondBusinessId}/settings/developers/keys`);
    await heading(page, 'API Keys').waitFor();
    await page.goto('/dashboard');
    await page.waitForURL(`/dashboard/${secondBusinessId}`);
  });

  test.each([
    ['that there is none of', () => '/dashboard/999999999/settings/developers/keys'],
    ['of others', () => `/dashboard/${stage.platform.businessId}`],
    ['that is no number', () => '/dashboard/javascript:alert(1)'],
  ])('%s is not found, in friendly words', async (_, path) => {
    const { page, owner, problems } = await enter();
    await page.goto(path());
    await heading(page, 'Business not found').waitFor();
    await page.getByRole('link', { name: 'Go to dashboard' }).click();
    await page.waitForURL(`/dashboard/${owner.businessId}`);
    await heading(page, 'Overview').waitFor();
    expect(problems).toEqual([]);
  });

  test('an unknown page is not found either', async () => {
    const { page, owner } = await enter();
    await page.goto(`/dashboard/${owner.businessId}/settings/nothing`);
    await heading(page, 'Page not found').waitFor();
  });

  test('is marked as frozen on every page', async () => {
    const { page, owner } = await enter();
    await stage.platform.sql(
      "INSERT INTO business_freezes (business_id, person_id, reason) VALUES ($1, $2, 'a test')",
      [owner.businessId, owner.id],
    );
    for (const path of ['', '/audit']) {
      await page.goto(`/dashboard/${owner.businessId}${path}`);
      await page.getByText('API access is frozen').waitFor();
    }
    await heading(page, 'Audit log').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  test('is marked as not verified on every page', async () => {
    const { page } = await stage.open('/dashboard');
    const person = await signUp(stage.platform);
    await logInAs(page, person);
    await page.getByText('This business is not verified').waitFor();
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
    await expectValue(page, scheme, 'dark');

    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: /^Color scheme/ }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expectValue(page, scheme, 'dark');
    // The script that would correct it later is blocked.
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.reload({ waitUntil: 'domcontentloaded' });
    expect(await page.evaluate(scheme)).toBe('dark');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).not.toBe(
      'rgb(255, 255, 255)',
    );
  });
});
