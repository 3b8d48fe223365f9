import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { failure } from './failure.ts';
import { heading, region } from './locators.ts';
import { setStage } from './stage.ts';
import { makeTraffic } from './tour/make-traffic.ts';

/** The overview: first steps, and the traffic of the business. */

const stage = setStage();

let ada: TestPerson;
beforeEach(async () => {
  ada = await signUpVerified(stage.platform);
});

const enter = (person = ada) => stage.enterAs(person, `/dashboard/${person.businessId}`);

const steps = (page: Page) => region(page, 'Get started').getByRole('listitem');
const stepsDone = async (page: Page) =>
  (await steps(page).allTextContents()).map((text) => text.includes(': Done'));

describe('the first steps', () => {
  test('turn green without a reload once the person has done them', async () => {
    const { page, problems } = await enter();
    await steps(page).first().waitFor();
    expect(await stepsDone(page)).toEqual([true, false, false, false]);
    const key = await stage.platform.createKey({ businessId: ada.businessId });
    await stage.platform.request(0, 'GET', '/v2/order', { key: key.keyString });
    // The page is not reloaded.
    await steps(page).filter({ hasText: 'Make your first request: Done' }).waitFor();
    expect(await stepsDone(page)).toEqual([true, true, true, false]);
    await region(page, 'Requests').waitFor();

    const application = await stage.platform.createApplication({ businessId: stage.platform.businessId });
    await connect(stage.platform, ada.browser, application);
    await page.reload();
    await region(page, 'Requests').waitFor();
    expect(await steps(page).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('link to their pages', async () => {
    const { page } = await enter(await signUp(stage.platform));
    const links = steps(page).getByRole('link');
    await links.first().waitFor();
    const targets = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(targets.map((href) => href?.replace(/^\/dashboard\/\d+/, ''))).toEqual([
      '/settings/business',
      '/settings/developers/keys/new',
      '/docs/first-call',
      '/settings/developers/apps',
    ]);
    const docs = await page.request.get('/docs/first-call');
    expect(docs.status()).toBe(200);
  });

  test('can be dismissed for this business, and stay dismissed', async () => {
    const { page } = await enter();
    await steps(page).first().waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    await region(page, 'Get started').waitFor({ state: 'detached' });
    await page.reload();
    await region(page, 'No requests yet').waitFor();
    expect(await steps(page).count()).toBe(0);

    const other = await stage.platform.createVerifiedBusiness('other');
    await joinBusiness(stage.platform, ada, other, 'owner');
    await page.goto(`/dashboard/${other}`);
    await steps(page).first().waitFor();
  });
});

describe('before the first call', () => {
  test('the overview shows a request to paste and a link to create a key', async () => {
    const { page, problems } = await enter();
    const first = region(page, 'No requests yet');
    await first.waitFor();
    expect(await first.locator('pre').textContent()).toContain(
      `curl ${stage.platform.publicUrl}/v2/businesses/me`,
    );
    await first.getByRole('link', { name: 'Create a key' }).click();
    await page.waitForURL('**/settings/developers/keys/new');
    expect(problems).toEqual([]);
  });
});

describe('with traffic', () => {
  beforeEach(async () => {
    await makeTraffic(stage.platform, ada.businessId);
  });

  test('the overview shows requests, errors, clients, nearly reached limits and expiring keys', async () => {
    const { page, problems } = await enter();
    const requests = region(page, 'Requests');
    await requests.waitFor();
    const totals = await requests.locator('dl').textContent();
    expect(totals).toMatch(/Requests\d+,\d{3}Error rate\d+(\.\d)?%Refused \(4xx\)\d+/);
    expect(await requests.getByRole('img').getAttribute('aria-label')).toMatch(/requests from .* with 2xx/);

    const busiest = region(page, 'Busiest keys and apps').getByRole('listitem');
    expect(await busiest.first().textContent()).toMatch(/^Web shopAPI key[\d,]+/);
    const limits = region(page, 'Close to the rate limit');
    expect(await limits.textContent()).toContain('Warehouse scannerAPI key1 leftof 12 per hour');
    const ending = region(page, 'Expiring keys').getByRole('listitem');
    expect(await ending.count()).toBe(2);
    expect(await ending.first().textContent()).toContain('Christmas campaignExpired 3 days ago');

    await page
      .getByText('Your 12 revocations of the last 30 days: slowest 31 ms. Gateways did not confirm 1 in time')
      .waitFor();
    await busiest.first().getByRole('link', { name: 'Web shop' }).click();
    await heading(page, 'Web shop').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'list of requests' }).click();
    await page.waitForURL('**/requests?span=24h');
    await page.goBack();
    await page.getByRole('link', { name: /^See failed requests/ }).click();
    await heading(page, 'Requests').waitFor();
    expect(problems).toEqual([]);
  });

  test('the period is chosen with the keyboard, and the numbers are available as a table', async () => {
    const { page } = await enter();
    const requests = region(page, 'Requests');
    const sum = async () =>
      Number(((await requests.locator('dd').first().textContent()) ?? '').replace(/\D/g, ''));
    await requests.locator('dd').first().waitFor();
    const ofDay = await sum();
    await requests.getByRole('radio', { name: '24 hours' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await requests.getByRole('radio', { name: 'By hour' }).waitFor({ state: 'attached' });
    expect(await requests.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
    await expectEventually(async () => expect(await sum()).toBeGreaterThan(10 * ofDay), { withinMs: 5_000 });
    await requests.getByRole('button', { name: 'Show as table' }).press('Enter');
    const rows = requests.getByRole('table').getByRole('row');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(31);
  });

  test('the overview is accessible and fits on a phone with very long names', async () => {
    const name = 'W'.repeat(100);
    const key = await stage.platform.createKey({ businessId: ada.businessId, name });
    await stage.platform.setKeyLimit(key, 1);
    await stage.platform.request(0, 'GET', '/v2/order', { key: key.keyString });
    const { page, problems } = await enter();
    await expectEventually(
      async () => {
        await page.reload();
        const limits = region(page, 'Close to the rate limit');
        await limits.waitFor();
        expect(await limits.getByText(name).count()).toBe(1);
      },
      { withinMs: 20_000, everyMs: 500 },
    );
    expect(await auditAccessibility(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('a failed load shows its reason, and succeeds on retry', async () => {
  const { page } = await enter();
  await page.route('**/overview?*', (route) => route.fulfill(failure));
  await page.reload();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toMatch(/is not available\..*req-of-this-failure/);
  await page.unroute('**/overview?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await region(page, 'No requests yet').waitFor();
});
