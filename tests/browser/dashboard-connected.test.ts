import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { failure } from './failure.ts';
import { focusComesInto, tabTo } from './keyboard.ts';
import { toast } from './locators.ts';
import { phone, widthOf } from './screens.ts';
import { setStage } from './stage.ts';

/** Connected apps: access to a business, and its end. */

let application: TestApplication;
const stage = setStage();
beforeAll(async () => {
  const maker = await signUpVerified(stage.platform, {
    businessName: 'Maker Ltd',
    username: 'maker-browser',
  });
  application = await stage.platform.createApplication({
    businessId: maker.businessId,
    name: 'Ledgerly',
    description: 'Keeps the books',
    scopes: ['business:read', 'orders:read', 'orders:write'],
  });
});

let ada: TestPerson;
beforeEach(async () => {
  ada = await signUpVerified(stage.platform);
});

const enter = (options: BrowserContextOptions = {}, person = ada) =>
  stage.enterAs(person, `/dashboard/${ada.businessId}/connected`, options);

const card = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });
const rights = (page: Page) =>
  card(page, 'Ledgerly').getByRole('list').getByRole('listitem').allTextContents();
const me = async (key: string) => (await stage.platform.me(key)).status;

describe('an app with access to the business', () => {
  test('is shown with its scopes and their use, and disconnected at once', async () => {
    const { accessToken } = await connect(stage.platform, ada.browser, application);
    const { page, problems } = await enter();
    await card(page, 'Ledgerly').getByText('By Maker Ltd (@maker-browser)').waitFor();
    // The words of the rights come with a response of their own.
    await card(page, 'Ledgerly').getByText('See the profile of your business').waitFor();
    expect(await card(page, 'Ledgerly').textContent()).toMatch(
      /Keeps the books.*Last usedNever.*by Ada Lovelace/,
    );
    expect(await rights(page)).toEqual([
      expect.stringMatching(/^See the profile of your business.*business:readNot used yet$/),
      expect.stringMatching(/^See your orders.*orders:readNot used yet$/),
      expect.stringMatching(/^Create orders.*orders:writeNot used yet$/),
    ]);

    expect([await me(accessToken), await me(accessToken)]).toEqual([200, 200]);
    const counted = 'SELECT sum(count_2xx)::int AS n FROM usage_counts WHERE business_id = $1';
    await expectEventually(
      async () => expect(await stage.platform.sql(counted, [ada.businessId])).toEqual([{ n: 2 }]),
      { withinMs: 15_000 },
    );
    await page.reload();
    await card(page, 'Ledgerly').getByText('just now from 127.0.0.1').waitFor();
    expect(await rights(page)).toEqual([
      expect.stringMatching(/Used just now$/),
      expect.stringMatching(/Not used yet$/),
      expect.stringMatching(/Not used yet$/),
    ]);

    await page.getByRole('button', { name: 'Disconnect' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect “Ledgerly”?' });
    await dialog.getByText('It made 2 requests in the last 24 hours').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await me(accessToken)).toBe(200);
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await toast(page, '“Ledgerly” disconnected.').waitFor();
    await page.getByText('No connected apps').waitFor();
    expect(await me(accessToken)).toBe(401);
    expect(problems).toEqual([]);
  });

  test('is marked for unused scopes after some time', async () => {
    await connect(stage.platform, ada.browser, application);
    await stage.platform.sql(
      `UPDATE grants SET created_at = now() - interval '50 days', approved_at = now() - interval '30 days',
              scopes_used = '{orders:read}', last_used_at = now() - interval '2 days', last_used_ip = '192.0.2.9'
       WHERE business_id = $1`,
      [ada.businessId],
    );
    const { page } = await enter();
    await page.getByText('Ask the publisher to request fewer.').waitFor();
    expect(await rights(page)).toEqual([
      expect.stringMatching(/Never used$/),
      expect.stringMatching(/Used$/),
      expect.stringMatching(/Never used$/),
    ]);
    await page.getByText('First connected').waitFor();
    await page.getByText('2 days ago from 192.0.2.9').waitFor();
  });

  test('is shown to members, who cannot disconnect it', async () => {
    await connect(stage.platform, ada.browser, application);
    const member = await signUp(stage.platform);
    await joinBusiness(stage.platform, member, ada.businessId, 'developer');
    const { page } = await enter({}, member);
    await card(page, 'Ledgerly').waitFor();
    await page.getByText('Only owners of the business can suspend or disconnect an app.').waitFor();
    expect(await page.getByRole('button', { name: 'Disconnect' }).count()).toBe(0);
  });
});

test('a connected app is disconnected with only the keyboard', async () => {
  await connect(stage.platform, ada.browser, application);
  const { page } = await enter();
  await page.getByRole('button', { name: 'Disconnect' }).focus();
  await page.keyboard.press('Enter');
  await focusComesInto(page, 'Disconnect “Ledgerly”?');
  await tabTo(page, 'button "Disconnect"', 6);
  await page.keyboard.press('Enter');
  await page.getByText('No connected apps').waitFor();
});

test('a failed disconnection is shown in the dialog and works on retry', async () => {
  await connect(stage.platform, ada.browser, application);
  const { page } = await enter();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disconnect “Ledgerly”?' });
  await page.route('**/connections/*', (route) => route.abort());
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await dialog.getByRole('alert').getByText('No response from the server.').waitFor();
  await page.unroute('**/connections/*');
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No connected apps').waitFor();
});

test('many connected apps are listed page by page, also on a phone', async () => {
  // Old approvals by a person who has left; their publisher is gone too.
  await stage.platform.sql(
    `WITH made AS (
       INSERT INTO applications (id, client_id, business_id, name, description, webhooks_enabled)
       SELECT 'apl_' || $1::bigint || '_' || n, 'app_' || $1::bigint || '_' || n, 900000 + n, 'App ' || n || repeat('W', 80),
              repeat('y', 300), false
       FROM generate_series(1, 60) AS n RETURNING id
     )
     INSERT INTO grants (id, application_id, business_id, person_id, scopes)
     SELECT 'grt_' || id, id, $1::bigint, 'nobody', '{orders:read}' FROM made`,
    [ada.businessId],
  );
  const { page, problems } = await enter({ viewport: phone });
  await page.getByText('by a former member').first().waitFor();
  const shown = () => page.getByRole('button', { name: 'Disconnect' }).count();
  expect(await shown()).toBe(50);
  expect(await widthOf(page)).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expectEventually(async () => expect(await shown()).toBe(60), { withinMs: 5_000 });
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  expect(problems).toEqual([]);
});

test('a failed load shows its reason, and works on retry', async () => {
  const { page } = await enter();
  await page.route('**/connections', (route) => route.fulfill(failure));
  await page.reload();
  await page.getByText('req-of-this-failure').waitFor();
  await page.unroute('**/connections');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No connected apps').waitFor();
});
