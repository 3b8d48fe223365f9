import { expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { connect } from '../harness/oauth.ts';
import { query } from '../harness/postgres.ts';
import { setKeys } from './dashboard-keys.ts';
import { permission, press, region } from './locators.ts';
import { setStage } from './stage.ts';

/** A permission, or a type of event, that the API has no longer, on the pages of what keeps it. */

const stage = setStage();
const keys = setKeys(stage);
const gone = 'Not part of the API now';

const keepScope = (table: 'api_keys' | 'applications' | 'grants', id: string) =>
  stage.platform.sql(
    `UPDATE ${table} SET scopes = array_prepend('invoices:read', scopes)
     WHERE ${table === 'grants' ? 'application_id' : 'id'} = $1`,
    [id],
  );

async function keyWithGoneScope() {
  const key = await keys.make({ type: 'restricted', scopes: ['business:read', 'orders:read'] });
  await keepScope('api_keys', key.id);
  return key;
}

test('A key is shown with it, and can be edited without losing it or after losing it.', async () => {
  const key = await keyWithGoneScope();
  const { page, problems } = await keys.enter(`/${key.id}`);
  const rights = region(page, 'Permissions');
  await rights.getByRole('listitem').filter({ hasText: 'invoices:read' }).getByText(gone).waitFor();
  expect(await rights.getByText(gone).count()).toBe(1);
  const scopesOf = async () => (await stage.platform.getKey(key)).scopes;
  for (const [scope, left] of [
    ['orders:read', ['business:read', 'invoices:read']],
    ['invoices:read', ['business:read']],
  ] as const) {
    await press(page, 'Edit');
    const dialog = page.getByRole('dialog');
    await permission(dialog, scope).uncheck();
    await press(dialog, 'Save');
    await dialog.waitFor({ state: 'detached' });
    expect(await scopesOf()).toEqual(left);
  }
  expect(problems).toEqual([]);
});

test('A second key does not get it.', async () => {
  const key = await keyWithGoneScope();
  const { page } = await keys.enter(`/new?from=${key.id}`);
  await permission(page, 'orders:read').waitFor();
  expect(await permission(page, 'orders:read').isChecked()).toBe(true);
  expect(await permission(page, 'invoices:read').count()).toBe(0);
});

test('An app and its connection are shown with it.', async () => {
  const { businessId } = keys.ada;
  const application = await stage.platform.createApplication({ businessId, scopes: ['orders:read'] });
  await connect(stage.platform, keys.ada.browser, application);
  await Promise.all([keepScope('applications', application.id), keepScope('grants', application.id)]);
  const { page } = await stage.enterAs(
    keys.ada,
    `/dashboard/${businessId}/settings/developers/apps/${application.id}`,
  );
  await page.getByText(`${gone}: invoices:read`).waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await permission(page, 'invoices:read').waitFor();
  await page.goto(`/dashboard/${businessId}/connected`);
  await page.getByRole('listitem').filter({ hasText: 'invoices:read' }).getByText(gone).first().waitFor();
});

test('An endpoint keeps a type of event that the API has no longer, until it is removed in the form.', async () => {
  const url = 'http://127.0.0.1:9/hook';
  const { businessId, browser } = keys.ada;
  const { own } = await openDashboard(keys.ada, browser);
  expect((await own('POST', '/webhook-endpoints', { url, events: ['order.paid'] })).status).toBe(201);
  const database = stage.platform.databases.webhook ?? '';
  await query(
    database,
    `UPDATE endpoints SET events = array_append(events, 'invoice.created') WHERE business_id = $1`,
    [businessId],
  );
  const { page, problems } = await stage.enterAs(
    keys.ada,
    `/dashboard/${businessId}/settings/developers/webhooks`,
  );
  const form = page.getByRole('dialog', { name: 'Edit the endpoint' });
  for (const [type, left] of [
    ['Order paid', ['invoice.created', 'order.created']],
    ['invoice.created', ['order.created']],
  ] as const) {
    await press(page, `Actions for ${url}`);
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await form.getByText(gone).waitFor();
    await form.getByRole('checkbox', { name: 'Order created' }).check();
    await form.getByRole('checkbox', { name: type }).uncheck();
    await press(form, 'Save');
    await form.waitFor({ state: 'detached' });
    const text = 'SELECT unnest(events) AS type FROM endpoints WHERE business_id = $1 ORDER BY type';
    expect(await query(database, text, [businessId])).toEqual(left.map((type) => ({ type })));
  }
  await press(page, `Actions for ${url}`);
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await form.getByRole('checkbox', { name: 'Order created' }).uncheck();
  await form.getByText('No event is selected, so the endpoint will receive all of them.').waitFor();
  expect(await form.getByText(gone).count()).toBe(0);
  expect(problems).toEqual([]);
});
