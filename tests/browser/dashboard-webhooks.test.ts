import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { joinBusiness, signUp, signUpVerified } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { makeOrder } from '../harness/webhooks.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { holdRequests, tryToClose } from './hold-requests.ts';
import { field, heading, press, region, toast } from './locators.ts';
import { phone } from './screens.ts';
import { setStage } from './stage.ts';
import { passMinutes, watchRequests } from './unattended.ts';

/** Runs in a page: timers of five seconds or more never fire. */
const ignoreLongTimers = `{
  const [timeout, interval] = [setTimeout, setInterval];
  window.setTimeout = (run, ms, ...rest) => (ms >= 5000 ? 0 : timeout(run, ms, ...rest));
  window.setInterval = (run, ms, ...rest) => (ms >= 5000 ? 0 : interval(run, ms, ...rest));
}`;

/** Webhooks: the page of the business's own endpoints, and the tab of an app. */

describe('an installation with webhooks', () => {
  const stage = setStage({ webhooks: 1 });
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver?.close());

  const enter = async (rest = '/settings/developers/webhooks') => {
    const ada = await signUpVerified(stage.platform);
    const window = await stage.enterAs(ada, `/dashboard/${ada.businessId}${rest}`);
    return { ada, ...window };
  };
  const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });
  const choose = async (page: Page, action: string, url = receiver.url) => {
    await press(page, `Actions for ${url}`);
    await page.getByRole('menuitem', { name: action }).click();
  };
  const secretIn = async (page: Page) => {
    const dialog = dialogOf(page, 'Signing secret');
    const secret = await dialog.locator('code').first().textContent();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return secret;
  };
  const add = async (page: Page, url = receiver.url) => {
    await press(page, 'Add endpoint');
    await field(dialogOf(page, 'Add an endpoint'), 'URL').fill(url);
    await press(dialogOf(page, 'Add an endpoint'), 'Add');
    return secretIn(page);
  };

  const sendTest = async (page: Page) => {
    await choose(page, 'Send a test event');
    await press(dialogOf(page, 'Send a test event?'), 'Send');
    await toast(page, 'Test event sent').waitFor();
  };

  test('an endpoint is added, changed, disabled, enabled and deleted', async () => {
    const { page, problems } = await enter();
    await heading(page, 'Webhooks').waitFor();
    await press(page, 'Add endpoint');
    const form = dialogOf(page, 'Add an endpoint');
    await field(form, 'URL').fill('https://10.0.0.1/hook');
    await page.keyboard.press('Enter');
    await form.getByText('The address is not public.').waitFor();
    await field(form, 'URL').fill(receiver.url);
    await form.getByRole('checkbox', { name: 'Order paid' }).check();
    await page.keyboard.press('Enter');
    expect(await secretIn(page)).toMatch(/^whsec_/);
    const list = region(page, 'Endpoints');
    await list.getByText('No delivery yet').waitFor();

    await choose(page, 'Edit');
    const edit = dialogOf(page, 'Edit the endpoint');
    expect(await edit.getByRole('checkbox', { name: 'Order paid' }).isChecked()).toBe(true);
    await field(edit, 'Description').fill('Till');
    await press(edit, 'Save');
    await list.getByText('Till').waitFor();
    const isTaken = 'Another endpoint has this URL';
    await choose(page, 'Edit');
    await field(edit, 'URL').waitFor();
    expect(await edit.getByText(isTaken).count()).toBe(0);
    await page.keyboard.press('Escape');
    await edit.waitFor({ state: 'detached' });
    await press(page, 'Add endpoint');
    await field(form, 'URL').fill(receiver.url);
    await form.getByText(isTaken).waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await choose(page, 'Disable');
    await list.getByText('Disabled').waitFor();
    await choose(page, 'Enable');
    await list.getByText('No delivery yet').waitFor();
    await choose(page, 'Delete');
    await press(dialogOf(page, 'Delete this endpoint?'), 'Delete endpoint');
    await toast(page, 'Endpoint deleted.').waitFor();
    await list.getByText('No endpoint yet').waitFor();
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  test('an endpoint names the person who created it, even one who has left', async () => {
    const { ada, page, problems } = await enter();
    const bob = await signUp(stage.platform, { name: 'Bob Builder' });
    await joinBusiness(stage.platform, bob, ada.businessId, 'developer');
    const bobs = await openDashboard({ ...bob, businessId: ada.businessId }, bob.browser);
    expect((await bobs.own('POST', '/webhook-endpoints', { url: receiver.url })).status).toBe(201);
    await page.reload();
    await page.getByText('Made by Bob Builder', { exact: true }).waitFor();
    expect((await bobs.own('DELETE', `/team/members/${bob.id}`, {})).status).toBe(200);
    await page.reload();
    await page.getByText('Made by Bob Builder, no longer on the team', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('a change of an endpoint keeps settings that another person has changed in the meantime', async () => {
    const { ada, page } = await enter();
    await add(page);
    await choose(page, 'Edit');
    const dialog = dialogOf(page, 'Edit the endpoint');
    await dialog.getByRole('checkbox', { name: 'Order paid' }).check();
    const other = await openDashboard(ada, ada.browser);
    const listed = z.object({ endpoints: z.array(z.object({ id: z.string() })) });
    const [endpoint] = listed.parse((await other.own('GET', '/webhook-endpoints')).json()).endpoints;
    const change = { description: 'Till' };
    expect((await other.own('PATCH', `/webhook-endpoints/${endpoint?.id}`, change)).status).toBe(200);
    await press(dialog, 'Save');
    await toast(page, 'Endpoint saved.').waitFor();
    const list = region(page, 'Endpoints');
    await list.getByText('1 event', { exact: true }).waitFor();
    await list.getByText('Till').waitFor();
  });

  test('the secret is shown again after the password, and can be rotated', async () => {
    const { ada, page } = await enter();
    const first = await add(page);
    await choose(page, 'Show the secret');
    const dialog = dialogOf(page, 'Show the signing secret?');
    await dialog.getByLabel('Your password').fill('another password');
    await page.keyboard.press('Enter');
    await dialog.getByText('Incorrect password.').waitFor();
    await dialog.getByLabel('Your password').fill(ada.password);
    await page.keyboard.press('Enter');
    await page.getByText('Public key (v1a signatures)').waitFor();
    expect(await auditAccessibility(page)).toEqual([]);
    expect(await secretIn(page)).toBe(first);
    await choose(page, 'Rotate the secret');
    const { sent, release } = await holdRequests(page, '**/secret');
    await press(dialogOf(page, 'Rotate the signing secret?'), 'Rotate');
    await sent;
    await tryToClose(page);
    release();
    const second = await secretIn(page);
    expect(second).toMatch(/^whsec_/);
    expect(second).not.toBe(first);
  });

  test('deliveries are listed, filtered, shown and resent', async () => {
    const { page } = await enter();
    await add(page);
    const list = region(page, 'Deliveries');
    await list.getByText('Nothing has been sent yet').waitFor();
    const before = receiver.received.length;
    receiver.respond(() => 500);
    await sendTest(page);
    await press(list, 'order.paid');
    const dialog = dialogOf(page, 'Delivery');
    await dialog.getByText('500').first().waitFor();
    receiver.respond(() => 204);
    await press(dialog, 'Resend');
    await dialog.getByText('Delivered').waitFor();
    expect(new Set(receiver.received.slice(before).map(({ id }) => id)).size).toBe(1);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await list.getByText('Delivered').waitFor();
    await list.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await list.getByText('No deliveries match.').waitFor();
    await press(list, 'Clear filters');
    await list.getByText('Delivered').waitFor();
    await list.getByLabel('To').fill('2020-01-01');
    await list.getByText('No deliveries match.').waitFor();
    await list.getByLabel('To').fill('');
    await list.getByText('Delivered').waitFor();
    await choose(page, 'Recover deliveries');
    await press(dialogOf(page, 'Recover deliveries?'), 'Recover');
    await toast(page, '0 deliveries are sent again.').waitFor();
  });

  test('a failing or disabled endpoint has an alert, and enabling it offers to recover what it missed', async () => {
    const { ada, page } = await enter();
    await add(page);
    receiver.respond(() => 500);
    await sendTest(page);
    await region(page, 'Endpoints').getByText('Failing (500)').waitFor();
    await query(
      stage.platform.databases.webhook ?? '',
      `UPDATE endpoints SET failing_since = failing_since - interval '2 hours' WHERE business_id = $1`,
      [ada.businessId],
    );
    await page.reload();
    const alert = page.getByRole('group', { name: /^Endpoint (failing|disabled)$/ });
    await alert.getByText('Endpoint failing').waitFor();
    expect(await auditAccessibility(page)).toEqual([]);
    // The first event comes again after five seconds: it may not be the one that disables the endpoint.
    const failed = new Set(receiver.received.map(({ id }) => id));
    receiver.respond(({ id }) => (failed.has(id) ? 500 : 410));
    await press(alert, 'Send a test event');
    await press(dialogOf(page, 'Send a test event?'), 'Send');
    await alert.getByText('after it responded with 410 Gone').waitFor();
    await region(page, 'Deliveries').getByText('Skipped').nth(1).waitFor();
    receiver.respond(() => 204);
    await press(alert, 'Enable');
    const dialog = dialogOf(page, 'Recover deliveries?');
    expect(await dialog.getByRole('combobox', { name: 'Since' }).inputValue()).toBe('It began to fail');
    await press(dialog, 'Recover');
    await region(page, 'Deliveries').getByText('Delivered').nth(1).waitFor();
    await alert.waitFor({ state: 'detached' });
    await page.getByText('2 of 2 deliveries sent again').waitFor();
  });

  test('dialogs about an endpoint start without earlier choices for the same or another endpoint', async () => {
    const { ada, page, problems } = await enter();
    const other = `${receiver.url}/other`;
    await add(page);
    await add(page, other);
    receiver.respond(() => 204);
    await sendTest(page);
    const deliveries = region(page, 'Deliveries');
    await deliveries.getByText('Delivered').waitFor();
    await deliveries.getByTitle(receiver.url, { exact: true }).waitFor();
    await query(
      stage.platform.databases.webhook ?? '',
      `UPDATE endpoints SET failing_since = now() - interval '2 hours' WHERE business_id = $1 AND url = $2`,
      [ada.businessId, receiver.url],
    );
    await page.reload();
    const recovery = dialogOf(page, 'Recover deliveries?');
    const since = recovery.getByRole('combobox', { name: 'Since' });
    const select = async (name: string) => {
      await since.click();
      await page.getByRole('option', { name }).click();
    };
    await choose(page, 'Recover deliveries');
    await select('The last hour');
    await press(recovery, 'Cancel');
    await choose(page, 'Recover deliveries');
    expect(await since.inputValue()).toBe('It began to fail');
    await select('The last hour');
    await select('It began to fail');
    await press(recovery, 'Cancel');
    await choose(page, 'Recover deliveries', other);
    expect(await since.inputValue()).toBe('The last 24 hours');
    await press(recovery, 'Recover');
    await toast(page, '0 deliveries are sent again.').waitFor();

    const rotation = dialogOf(page, 'Rotate the signing secret?');
    const end = rotation.getByRole('checkbox', { name: 'End the old secret at once' });
    await choose(page, 'Rotate the secret');
    await end.check();
    await press(rotation, 'Cancel');
    await choose(page, 'Rotate the secret', other);
    expect(await end.isChecked()).toBe(false);
    expect(problems).toEqual([]);
  });

  test('on a phone the health of an endpoint stays in its card', async () => {
    const { page } = await enter();
    await page.setViewportSize(phone);
    const url = 'http://127.0.0.1:9/hook';
    await add(page, url);
    await choose(page, 'Send a test event', url);
    await press(dialogOf(page, 'Send a test event?'), 'Send');
    const list = region(page, 'Endpoints');
    const badge = list.getByText('Failing (no connection)');
    await badge.waitFor();
    const [card, inside] = [await list.getByRole('listitem').boundingBox(), await badge.boundingBox()];
    const right = (box: typeof card) => (box === null ? Number.NaN : box.x + box.width);
    expect(right(inside)).toBeLessThan(right(card));
  });

  test('a delivery names the key that made the change', async () => {
    const { ada, page } = await enter();
    receiver.respond(() => 204);
    await add(page);
    const { id, keyString } = await stage.platform.createKey({ businessId: ada.businessId });
    await makeOrder(stage.platform, keyString);
    await press(region(page, 'Deliveries'), 'order.created');
    const author = dialogOf(page, 'Delivery').getByRole('link');
    expect(await author.getAttribute('href')).toMatch(new RegExp(`/settings/developers/keys/${id}$`));
  });

  test('a new delivery appears without a reload, even if the stream of changes is not available', async () => {
    for (const isLive of [true, false]) {
      const { ada, context, page } = await enter('');
      // Without its long timers the page never asks by itself.
      if (isLive) await page.addInitScript(ignoreLongTimers);
      else await context.route('**/webhook-changes', (route) => route.abort());
      await page.goto(`/dashboard/${ada.businessId}/settings/developers/webhooks`);
      receiver.respond(() => 204);
      await add(page);
      const list = region(page, 'Deliveries');
      await list.getByText('Nothing has been sent yet').waitFor();
      const { keyString } = await stage.platform.createKey({ businessId: ada.businessId });
      await makeOrder(stage.platform, keyString);
      await list.getByRole('button', { name: 'order.created' }).waitFor();
      await list.getByText('Delivered').waitFor();
    }
  });

  test('an unattended page sends no requests, and shows new deliveries after the next input', async () => {
    for (const isLive of [true, false]) {
      const { ada, context, page } = await enter('');
      await page.clock.install();
      if (!isLive) await context.route('**/webhook-changes', (route) => route.abort());
      await page.goto(`/dashboard/${ada.businessId}/settings/developers/webhooks`);
      receiver.respond(() => 204);
      await add(page);
      const list = region(page, 'Deliveries');
      await list.getByText('Nothing has been sent yet').waitFor();
      await passMinutes(page, 15);
      const asked = watchRequests(page);
      const before = receiver.received.length;
      const { keyString } = await stage.platform.createKey({ businessId: ada.businessId });
      await makeOrder(stage.platform, keyString);
      await expectEventually(() => expect(receiver.received.length).toBeGreaterThan(before), {
        withinMs: 15_000,
      });
      await passMinutes(page, 15);
      expect(asked).toEqual([]);
      await page.keyboard.press('Shift');
      await list.getByRole('button', { name: 'order.created' }).waitFor();
    }
  });

  test('the check of a receiver shows each problem with its fix', async () => {
    const { page, problems } = await enter();
    await add(page);
    receiver.respond(() => 204);
    await choose(page, 'Check the receiver');
    const dialog = dialogOf(page, 'Check the receiver');
    await press(dialog, 'Check');
    await dialog.getByText('anyone can send you events').waitFor();
    await dialog.getByText('How often has your code handled it?').waitFor();
    const links = await dialog.getByRole('link').all();
    const sections = await Promise.all(links.map((link) => link.getAttribute('href')));
    await dialog.getByLabel('A correct receiver').selectOption('Django');
    await dialog.getByText('@csrf_exempt').waitFor();
    await dialog.getByText('def verify(headers, body)').waitFor();
    expect(sections).toContain('/docs/webhooks#express');
    const { text: guide } = await stage.platform.request(0, 'GET', '/docs/webhooks');
    for (const section of sections) expect(guide).toContain(`id="${section?.split('#')[1]}"`);
    expect(await auditAccessibility(page)).toEqual([]);
    await press(dialog, 'Twice');
    await dialog.getByText('An event was handled twice.').waitFor();
    await press(dialog, 'Once');
    await dialog.getByText('An event was handled twice.').waitFor({ state: 'detached' });
    receiver.respond(() => 410);
    await press(dialog, 'Check again');
    await dialog.getByText('A correct request was not accepted').waitFor();
    await dialog.getByText('Close', { exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  test('the page of an app shows its own endpoints, and says when its webhooks are off', async () => {
    const ada = await signUpVerified(stage.platform);
    const app = await stage.platform.createApplication({ businessId: ada.businessId });
    const path = `/dashboard/${ada.businessId}/settings/developers`;
    const { page } = await stage.enterAs(ada, `${path}/apps/${app.id}?tab=webhooks`);
    await page.getByText('Webhooks are off for this app').waitFor();
    await add(page);
    await region(page, 'Endpoints').getByText(receiver.url).waitFor();
    await page.goto(`${path}/webhooks`);
    await page.getByText('No endpoint yet').waitFor();
  });
});
