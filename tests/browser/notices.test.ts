import { expect, test } from '@jest/globals';
import { connect } from '../harness/oauth.ts';
import { logIn, signUpVerified } from '../harness/people.ts';
import { auditAccessibility } from './accessibility-audit.ts';
import { heading, region } from './locators.ts';
import { setStage } from './stage.ts';

const stage = setStage();

test('the bell counts notices, the page shows them with their places, and switches choose the emails', async () => {
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
  expect(await auditAccessibility(page)).toEqual([]);

  const emails = region(page, 'Emails');
  const connections = emails.getByRole('switch', { name: 'Connected apps' });
  expect(await emails.getByRole('switch', { name: 'Security' }).isDisabled()).toBe(true);
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
  await connections.click();
  expect((await saved).ok()).toBe(true);
  await page.reload();
  await list.getByText('The app “Parcel Post” was connected by Ada Lovelace.').waitFor();
  await connections.waitFor();
  expect(await connections.isChecked()).toBe(false);
  expect(await list.getByText('New', { exact: true }).count()).toBe(0);

  await list.getByRole('link', { name: 'An app was connected' }).click();
  await heading(page, 'Connected apps').waitFor();
  expect(problems).toEqual([]);
});
