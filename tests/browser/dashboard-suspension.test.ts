import { expect, test } from '@jest/globals';
import { connect } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { setApps, tab } from './dashboard-apps.ts';
import { button, field, press, toast } from './locators.ts';
import { setStage } from './stage.ts';

/** Suspended apps and connections, from both sides. */

const stage = setStage();
const apps = setApps(stage);

const me = async (key: string) => (await stage.platform.me(key)).status;

test('an app is suspended with a reason, its page says so, and it is resumed', async () => {
  const app = await apps.register();
  const { accessToken } = await connect(stage.platform, apps.ada.browser, app);
  const { page, problems } = await apps.enter(`/${app.id}?tab=settings`);
  await press(page, 'Suspend app');
  const dialog = page.getByRole('dialog', { name: 'Suspend “Shop”?' });
  await dialog.getByText('for 1 connected business').waitFor();
  await field(dialog, 'Reason').fill('a laptop was stolen');
  await press(dialog, 'Suspend');
  await toast(page, '“Shop” suspended.').waitFor();
  const alert = page.getByRole('alert').filter({ hasText: 'This app is suspended' });
  await alert.getByText('Suspended by your business just now: a laptop was stolen').waitFor();
  expect(await me(accessToken)).toBe(403);

  const reason = 'complaints about phishing';
  await stage.platform.suspendApplication(app, reason);
  await page.reload();
  await alert.getByText(`Suspended by us just now: ${reason}`).waitFor();
  await tab(page, 'Settings').click();
  await press(page, 'Resume app');
  await press(page.getByRole('dialog', { name: 'Resume “Shop”?' }), 'Resume');
  await toast(page, '“Shop” resumed.').waitFor();
  expect(await me(accessToken)).toBe(403);
  await stage.platform.resumeApplication(app);
  await page.reload();
  await button(page, 'Suspend app').waitFor();
  await alert.waitFor({ state: 'detached' });
  expect(await me(accessToken)).toBe(200);
  expect(problems).toEqual([]);
});

test('a connection is suspended by its owner, the publisher sees it, and it is resumed', async () => {
  const app = await apps.register();
  const owner = await signUpVerified(stage.platform, { name: 'Grace Hopper' });
  const { accessToken } = await connect(stage.platform, owner.browser, app);
  const { page, problems } = await stage.enterAs(owner, `/dashboard/${owner.businessId}/connected`);
  await press(page, 'Suspend');
  const dialog = page.getByRole('dialog', { name: 'Suspend “Shop”?' });
  await field(dialog, 'Reason').fill('odd requests');
  await press(dialog, 'Suspend');
  await toast(page, '“Shop” suspended.').waitFor();
  await page.getByText('Suspended just now by Grace Hopper: odd requests').waitFor();
  expect(await me(accessToken)).toBe(403);

  const { page: publishers } = await apps.enter(`/${app.id}`);
  await publishers.getByText('Suspended by the business').waitFor();
  expect(await publishers.getByText('odd requests').count()).toBe(0);

  await press(page, 'Resume');
  await press(page.getByRole('dialog', { name: 'Resume “Shop”?' }), 'Resume');
  await toast(page, '“Shop” resumed.').waitFor();
  await button(page, 'Suspend').waitFor();
  expect(await me(accessToken)).toBe(200);
  expect(problems).toEqual([]);
});
