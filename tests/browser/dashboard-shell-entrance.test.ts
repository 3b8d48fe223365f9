import { describe, expect, test } from '@jest/globals';
import { comeIn } from './dashboard-shell.ts';
import { expectValue } from './expect-value.ts';
import { failure } from './failure.ts';
import { heading, region } from './locators.ts';
import { setStage } from './stage.ts';
import { logInAs } from './tour/enter-dashboard.ts';

/** Login and logout of the dashboard, and the resources that the browser loads. */

const stage = setStage();
const enter = () => comeIn(stage);

describe('login', () => {
  test('a login leads to the overview of the business', async () => {
    const { page, problems, owner } = await enter();
    await heading(page, 'Overview').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${owner.businessId}`);
    await expectValue(page, 'document.title', 'Overview · Analytical Engines · Business API');
    expect(problems).toEqual([]);
  });

  test('a login for a page leads to that page', async () => {
    const { page, context, owner } = await enter();
    // No open page detects it first.
    await page.goto('about:blank');
    await context.clearCookies();
    await page.goto(`/dashboard/${owner.businessId}/audit`);
    await logInAs(page, owner);
    await heading(page, 'Audit log').waitFor();
  });

  test('the old URL of the account leads to the profile, even for a person without a business', async () => {
    const { page, owner } = await enter();
    await page.goto('/account');
    await heading(page, 'Profile').waitFor();
    await stage.platform.sql('DELETE FROM memberships WHERE person_id = $1', [owner.id]);
    await page.goto('/account');
    await region(page, 'Account').getByText(owner.email).waitFor();
  });

  test('a failed load shows its reason and the id of the request, and succeeds on retry', async () => {
    const { page } = await enter();
    await page.route('**/dashboard-api/session', (route) => route.fulfill(failure));
    await page.goto('/dashboard');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/is not available\..*req-of-this-failure/);
    await page.unroute('**/dashboard-api/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Overview').waitFor();
  });
});

describe('logout', () => {
  test('a login after the session has expired leads back to the same page', async () => {
    const { page, owner, problems } = await enter();
    const here = `/dashboard/${owner.businessId}/settings/developers/requests?status=429`;
    await page.goto(here, { waitUntil: 'networkidle' });
    await stage.platform.sql('DELETE FROM sessions WHERE person_id = $1', [owner.id]);
    await page.reload();
    await page.waitForURL(`/login?continue=${encodeURIComponent(here)}`);
    await logInAs(page, owner);
    await heading(page, 'Requests').waitFor();
    expect(new URL(page.url()).search).toBe('?status=429');
    expect(problems).toEqual([]);
  });

  test('a login after the session has ended on an open page leads to the requested page', async () => {
    const { page, owner } = await enter();
    // A page that does not poll: otherwise it detects this before the click.
    await page.goto(`/dashboard/${owner.businessId}/settings/developers/apps`, { waitUntil: 'networkidle' });
    await stage.platform.sql('DELETE FROM sessions WHERE person_id = $1', [owner.id]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    const back = encodeURIComponent(`/dashboard/${owner.businessId}/audit`);
    await page.waitForURL(`/login?continue=${back}&after=session-ended`);
    await page.getByText('Your session has ended. Log in to continue.').waitFor();
    await logInAs(page, owner);
    await heading(page, 'Audit log').waitFor();
  });

  test('a logout ends the session, and the back button shows no data', async () => {
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

describe('a page that is out of date', () => {
  test('reloads when it is restored from the cache of the browser', async () => {
    const { page } = await enter();
    await heading(page, 'Overview').waitFor();
    const loaded = page.waitForEvent('load');
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await loaded;
    await heading(page, 'Overview').waitFor();
  });

  test('reloads when a part of its code no longer exists', async () => {
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

  test('shows an error when the reload does not help', async () => {
    const { page } = await enter();
    await heading(page, 'Overview').waitFor();
    await page.route('**/assets/audit-page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Audit log' }).click();
    await heading(page, 'Something went wrong').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await heading(page, 'Overview').waitFor();
  });
});

describe('resources', () => {
  test('come only from the platform, and the script stays within its size limit', async () => {
    const { owner, context } = await enter();
    // The chart belongs to the first load as soon as there is something to show.
    const { id } = await stage.platform.createKey({ businessId: owner.businessId });
    await stage.platform.sql(
      `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       VALUES ($1, date_trunc('hour', now(), 'UTC'), $2, 5, 0, 0, 0)`,
      [owner.businessId, id],
    );
    const fresh = await stage.open('about:blank', { storageState: await context.storageState() });
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
    expect([...origins]).toEqual([stage.platform.publicUrl]);
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
    await expectValue(page, '[...document.images].at(-1).complete', true);
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(problems.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(0);
  });
});
