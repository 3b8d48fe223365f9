import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { noticesOf } from '../harness/notices.ts';
import { connect } from '../harness/oauth.ts';
import { logIn, signUpVerified } from '../harness/people.ts';
import { failure } from './failure.ts';
import { heading, region } from './locators.ts';
import { setStage } from './stage.ts';

const stage = setStage();

test('the bell counts notices, the page links each to its place, and the choice of emails is kept', async () => {
  const { platform } = stage;
  const ada = await signUpVerified(platform);
  const application = await platform.createApplication({ businessId: ada.businessId, name: 'Parcel Post' });
  await connect(platform, ada.browser, application);
  await logIn(platform, ada);
  const { page, problems } = await stage.enterAs(ada, `/dashboard/${ada.businessId}`);
  await page.getByRole('link', { name: /^Notices: \d unread notices$/ }).click();
  await heading(page, 'Notices').waitFor();
  const list = page.getByRole('list', { name: 'Notices' });
  await list.getByText('The app “Parcel Post” was connected by Ada Lovelace.').waitFor();
  expect(await list.getByText('New', { exact: true }).count()).toBeGreaterThan(1);
  await page.getByRole('link', { name: 'Notices', exact: true }).waitFor();

  const emails = region(page, 'Emails');
  const connections = emails.getByRole('radiogroup', { name: 'Connected apps' });
  const choice = (name: string) => connections.getByRole('radio', { name });
  expect(await choice('At once').isChecked()).toBe(true);
  expect(await emails.getByRole('radiogroup', { name: 'Security' }).count()).toBe(0);
  await emails.getByText('Always emailed at once.').waitFor();
  // The first of two choices takes longer than the second would.
  const saved: number[] = [];
  await page.route('**/notices/topics', async (route) => {
    if (saved.length === 0) await delay(500);
    const response = await route.fetch();
    saved.push(response.status());
    await route.fulfill({ response });
  });
  await choice('At once').focus();
  for (const next of ['Daily', 'No email']) {
    await page.keyboard.press('ArrowDown');
    await expectEventually(async () => expect(await choice(next).isChecked()).toBe(true), {
      withinMs: 5_000,
    });
  }
  await expectEventually(() => expect(saved).toEqual([200, 200]), { withinMs: 15_000 });
  await page.unroute('**/notices/topics');
  await page.reload();
  await list.getByText('The app “Parcel Post” was connected by Ada Lovelace.').waitFor();
  await connections.waitFor();
  expect(await choice('No email').isChecked()).toBe(true);
  const once = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await choice('Daily').click();
  expect((await once).ok()).toBe(true);
  await page.reload();
  await connections.waitFor();
  expect(await choice('Daily').isChecked()).toBe(true);
  await list.getByText('The app “Parcel Post” was connected by Ada Lovelace.').waitFor();
  expect(await list.getByText('New', { exact: true }).count()).toBe(0);

  await list.getByRole('link', { name: 'An app was connected' }).click();
  await heading(page, 'Connected apps').waitFor();
  expect(problems).toEqual([]);
});

test('a notice that arrives while the page is open is shown as new, and the bell shows no count', async () => {
  const { platform } = stage;
  const ada = await signUpVerified(platform);
  const { page, problems } = await stage.enterAs(ada, `/dashboard/${ada.businessId}`);
  await page.clock.install();
  // Until then the page marks what comes as read with the rest.
  const read = page.waitForResponse('**/dashboard-api/notices/read');
  await page.goto('/dashboard/notices');
  await heading(page, 'Notices').waitFor();
  await (await read).finished();
  const bell = page.getByRole('link', { name: 'Notices', exact: true });
  await bell.waitFor();
  const application = await platform.createApplication({ businessId: ada.businessId, name: 'Parcel Post' });
  await connect(platform, ada.browser, application);
  const dashboard = await openDashboard(ada, ada.browser);
  await expectEventually(async () => expect((await noticesOf(dashboard)).unread).toBe(1), {
    withinMs: 15_000,
  });
  await page.clock.runFor(60_000);
  const notice = page.getByRole('list', { name: 'Notices' }).getByRole('listitem').first();
  await notice.getByText('The app “Parcel Post” was connected by Ada Lovelace.').waitFor();
  await notice.getByText('New', { exact: true }).waitFor();
  await expectEventually(async () => expect((await noticesOf(dashboard)).unread).toBe(0), {
    withinMs: 15_000,
  });
  await bell.waitFor();
  expect(problems).toEqual([]);
});

test('a saved choice of emails stays selected, even if the choice before it was not saved', async () => {
  const ada = await signUpVerified(stage.platform);
  const { page } = await stage.enterAs(ada, '/dashboard/notices');
  const connections = region(page, 'Emails').getByRole('radiogroup', { name: 'Connected apps' });
  await connections.waitFor();
  const choice = (name: string) => connections.getByRole('radio', { name });
  const asked: string[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/notices/topics', async (route) => {
    asked.push(route.request().method());
    if (asked.length > 1) return route.continue();
    await released;
    return route.fulfill(failure);
  });
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok());
  await choice('Daily').click();
  await choice('No email').click();
  release();
  await page.getByRole('alert').filter({ hasText: 'A part of the service is not available.' }).waitFor();
  await saved;
  // What is fetched between the two is without the second.
  expect(asked).toEqual(['PATCH', 'PATCH']);
  expect(await choice('No email').isChecked()).toBe(true);
});
