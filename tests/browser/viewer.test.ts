import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { openDashboard } from '../harness/dashboard.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { connect } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { axeViolations } from './axe-violations.ts';
import { button, press, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';

/** The pages of a business as a viewer has them: everything to read, and nothing to change. */

const stage = setStage();

let ada: TestPerson;
let bob: TestPerson;
let viewer: TestPerson;
let keyId: string;
let applicationId: string;
let requestId: string;
const own = (path: string) => `/dashboard/${ada.businessId}${path}`;
const developers = (path: string) => own(`/settings/developers${path}`);

beforeAll(async () => {
  const { platform } = stage;
  [ada, bob, viewer] = [
    await signUpVerified(platform),
    await signUp(platform, { name: 'Bob Builder' }),
    await signUp(platform, { name: 'Mary Somerville' }),
  ];
  const { businessId } = ada;
  await joinBusiness(platform, bob, businessId, 'developer');
  await joinBusiness(platform, viewer, businessId, 'viewer');
  const dashboard = await openDashboard(ada, ada.browser);
  const key = await makeKey(dashboard, {
    ...restricted,
    name: 'Till',
    scopes: ['orders:read', 'orders:write'],
  });
  keyId = key.id;
  const application = await platform.createApplication({ businessId, name: 'Parcel Post' });
  applicationId = application.id;
  await connect(platform, ada.browser, application);
  expect((await platform.request(0, 'GET', '/v2/order', { key: key.keyString })).status).toBe(200);
  const refused = await platform.me(key.keyString);
  requestId = String(refused.headers['x-request-id']);
  const endpoint = { url: 'https://receiver.example/hook', description: '', events: [] };
  for (const owner of ['', `?applicationId=${applicationId}`]) {
    const added = await dashboard.own('POST', `/webhook-endpoints${owner}`, endpoint);
    const { id } = z.object({ endpoint: z.object({ id: z.string() }) }).parse(added.json()).endpoint;
    const sent = await dashboard.own('POST', `/webhook-endpoints/${id}/test${owner}`, {
      type: 'order.created',
    });
    expect(sent.status).toBe(201);
  }
  // Failing for hours, so that the page warns of it.
  const failing = "UPDATE endpoints SET failing_since = now() - interval '3 hours'";
  await query(platform.databases.webhook ?? '', failing);
});

/** Pages of the business, each with a text that is there once it is loaded. */
const pages = (): readonly (readonly [path: string, text: string])[] => [
  [own(''), 'Requests'],
  [own('/settings/business'), 'Developers can create restricted keys with'],
  [developers('/keys'), 'Viewers cannot create or change API keys.'],
  [developers(`/keys/${keyId}`), 'Viewers cannot change, freeze, rotate or delete API keys.'],
  [developers('/keys/new'), 'Viewers cannot create API keys'],
  [developers(`/keys/new?from=${keyId}`), 'Viewers cannot create API keys'],
  [developers('/apps'), 'Viewers cannot register or change apps.'],
  [developers('/apps/new'), 'Viewers cannot register apps'],
  [developers(`/apps/${applicationId}`), 'Connected businesses'],
  [developers(`/apps/${applicationId}?tab=credentials`), 'Viewers cannot rotate or delete client secrets.'],
  [developers(`/apps/${applicationId}?tab=webhooks`), 'Viewers cannot change endpoints'],
  [developers(`/apps/${applicationId}?tab=settings`), 'Viewers cannot change apps.'],
  [developers('/webhooks'), 'Viewers cannot change endpoints'],
  [developers('/requests'), 'Requests'],
  [developers(`/requests/${requestId}`), 'Every request passes these checks in this order.'],
  [own('/connected'), 'Only owners of the business can suspend or disconnect an app.'],
  [own('/audit'), 'Export'],
];

/** Requests of a page that would change something of a business, or are refused. */
function watchRequests(page: Page): readonly string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    const isWrite = request.method() !== 'GET' && request.url().includes('/dashboard-api/businesses/');
    if (isWrite) seen.push(`${request.method()} ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() === 403) seen.push(`403 ${response.url()}`);
  });
  return seen;
}

const acts =
  /\b(?:create|add|edit|delete|rotate|register|save|suspend|resume|disconnect|invite|freeze|enable|disable|resend|send|recover|verify|remove|withdraw|submit|ask|show the secret)\b/i;

/** Controls of the content of a page, of its dialogs and menus that a person can use, and that change something by their names. */
const actsOn = async (page: Page) => {
  const controls = page
    .locator('main, [role=dialog], [role=menu]')
    .locator('button:enabled, a[href], input:enabled, textarea:enabled')
    .filter({ visible: true });
  const names = await controls.evaluateAll((elements) =>
    elements.map((element) => element.getAttribute('aria-label') ?? element.textContent ?? ''),
  );
  return names.filter((name) => acts.test(name));
};

/** Presses every button of a page. Resolves to the names of controls that change something, of what opens, too. */
async function pressAll(page: Page): Promise<string[]> {
  const found = await actsOn(page);
  const buttons = page.locator('main').locator('button:enabled').filter({ visible: true });
  for (let index = 0; index < (await buttons.count()); index++) {
    await buttons.nth(index).click();
    const opened = page.locator('[role=dialog], [role=menu]').filter({ visible: true });
    if ((await opened.count()) === 0) continue;
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    found.push(...(await actsOn(page)));
    await page.keyboard.press('Escape');
    await opened.first().waitFor({ state: 'detached' });
  }
  return found;
}

describe('a viewer', () => {
  test('sees every page, on which no control changes anything or is refused', async () => {
    const { page, problems } = await stage.enterAs(viewer, own(''));
    const requests = watchRequests(page);
    for (const [path, text] of pages()) {
      await page.goto(path);
      await page.getByText(text).first().waitFor();
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
      expect(await axeViolations(page)).toEqual([]);
      expect([path, await pressAll(page)]).toEqual([path, []]);
      expect([path, requests]).toEqual([path, []]);
    }
    expect(problems).toEqual([]);
  });

  test('has none of these controls, while the same search finds one for a developer', async () => {
    const { page } = await stage.enterAs(bob, developers('/keys'));
    await page.getByRole('link', { name: 'Create a key' }).waitFor();
    expect(await actsOn(page)).toEqual(['Create a key']);
  });
});

describe('a developer who becomes a viewer', () => {
  const roleDialog = (page: Page) => page.getByRole('dialog', { name: 'Change the role of Bob Builder' });

  test.each([undefined, phone])(
    'loses the keys whose strings they have seen, which the dialog lists to the owner (%j)',
    async (screen) => {
      const bobs = await openDashboard(ada, bob.browser);
      const key = await makeKey(bobs, { ...restricted, name: 'Report', scopes: ['orders:read'] });
      const options = screen === undefined ? {} : { viewport: screen };
      const { page, problems } = await stage.enterAs(ada, own('/settings/business'), options);
      await press(page, 'Actions for Bob Builder');
      await page.getByRole('menuitem', { name: 'Change the role' }).click();
      await roleDialog(page).getByRole('radio', { name: 'Viewer' }).check();
      const listed = roleDialog(page).getByRole('checkbox', { name: `Report (…${key.lastFour})` });
      await listed.waitFor();
      expect([await listed.isChecked(), await axeViolations(page)]).toEqual([true, []]);
      await press(roleDialog(page), 'Change role');
      await toast(page, 'Bob Builder is now a viewer.').waitFor();
      const use = await stage.platform.request(0, 'GET', '/v2/order', { key: key.keyString });
      expect(use.status).toBe(401);
      const dashboard = await openDashboard(ada, ada.browser);
      await dashboard.own('PATCH', `/team/members/${bob.id}`, { role: 'developer' });
      expect(problems).toEqual([]);
    },
  );

  test('is refused with a reason in an open form, which is then removed', async () => {
    const { page } = await stage.enterAs(bob, developers('/keys/new'));
    await page.getByRole('textbox', { name: 'Name' }).fill('Late');
    await page.getByRole('checkbox', { name: 'See your orders' }).check();
    const dashboard = await openDashboard(ada, ada.browser);
    await dashboard.own('PATCH', `/team/members/${bob.id}`, { role: 'viewer' });
    await press(page, 'Create key');
    await page.getByText('Viewers cannot create API keys').waitFor();
    await button(page, 'Create key').waitFor({ state: 'detached' });
    await page.goto(developers('/keys'));
    await page.getByRole('link', { name: 'Till' }).waitFor();
    expect(await page.getByText('Late', { exact: true }).count()).toBe(0);
  });
});
