import { describe, expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { joinBusiness, signUpVerified } from '../harness/people.ts';
import { restricted, setKeys, takeKey } from './dashboard-keys.ts';
import { holdRequests } from './hold-requests.ts';
import { button, field, heading, permission, press, region, toast } from './locators.ts';
import { setStage } from './stage.ts';

/** The page of an API key: usage, changes, rotation, deletion. */

const stage = setStage();
const keys = setKeys(stage);

describe('the page of a key', () => {
  test('shows its requests by hour and day, as bars and as a table', async () => {
    const key = await keys.make();
    await stage.platform.setKeyLimit(key, 4);
    for (let i = 0; i < 4; i++) await keys.use(key.keyString, '/v2/order', `192.0.2.${i}`);
    await keys.use(key.keyString, '/v2/order', '192.0.2.9');
    await keys.awaitReport(key, 5);
    const { page, problems } = await keys.enter(`/${key.id}`);
    const requests = region(page, 'Requests');
    await requests.getByRole('img', { name: /^5 requests .* 4 with 2xx, 0 with 4xx, 1 with 429/ }).waitFor();
    await requests.getByText('90 days', { exact: true }).click();
    await requests.getByRole('img', { name: /busiest day/ }).waitFor();
    await requests.getByText('By hour', { exact: true }).click();
    await requests.getByRole('img', { name: /busiest hour/ }).waitFor();
    await requests.getByText('By day', { exact: true }).click();
    await requests.getByText('7 days', { exact: true }).click();
    await press(requests, 'Show as table');
    await expectEventually(async () => expect(await requests.getByRole('row').count()).toBe(8), {
      withinMs: 5_000,
    });
    expect(await requests.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
      '4',
      '0',
      '1',
      '0',
      '5',
    ]);
    await region(page, 'Rate limit').getByText('0 of 4 requests left').waitFor();
    await region(page, 'Rate limit').getByText('refused with status 429').waitFor();
    await region(page, 'Usage').getByText('GET /v2/order').first().waitFor();
    const places = await region(page, 'Usage').textContent();
    expect(places).toContain('5 requests in the last hour, 5 in the last 24 hours');
    expect(places).toContain('GET /v2/order 5 requests');
    expect(places).toMatch(/192\.0\.2\.9/);
    expect(problems).toEqual([]);
  });

  test('of a deleted key shows that it is not found', async () => {
    const { page } = await keys.enter('/key_gone');
    await heading(page, 'Key not found').waitFor();
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByText('No API keys yet').waitFor();
  });

  test('lets members delete it', async () => {
    const key = await keys.make(restricted);
    const member = await signUpVerified(stage.platform);
    await joinBusiness(stage.platform, member, keys.ada.businessId, 'developer');
    const { page } = await keys.enter(`/${key.id}`, {}, member);
    await press(page, 'Delete key');
    const dialog = page.getByRole('dialog', { name: 'Delete “Shop”?' });
    await field(dialog, 'Type Shop to confirm').fill('Shop');
    await press(dialog, 'Delete key');
    await page.getByText('No API keys yet').waitFor();
    expect(await keys.use(key.keyString)).toBe(401);
  });
});

describe('a developer', () => {
  const enterAsDeveloper = async (id: string) => {
    const member = await signUpVerified(stage.platform);
    await joinBusiness(stage.platform, member, keys.ada.businessId, 'developer');
    return keys.enter(`/${id}`, {}, member);
  };

  test('cannot rotate keys that only owners may hold, and sees the reason', async () => {
    const [secret, writing, reading] = [
      await keys.make(),
      await keys.make(restricted),
      await keys.make({ type: 'restricted', scopes: ['orders:read'] }),
    ];
    const { page, problems } = await enterAsDeveloper(secret.id);
    await page.getByText('Only owners can rotate secret keys.').waitFor();
    expect(await button(page, 'Rotate key').isDisabled()).toBe(true);
    await page.goto(keys.path(`/${writing.id}`));
    await page.getByText('Only owners can rotate keys with orders:write.').waitFor();
    expect(await button(page, 'Rotate key').isDisabled()).toBe(true);
    await page.goto(keys.path(`/${reading.id}`));
    await press(page, 'Rotate key');
    await press(page.getByRole('dialog', { name: 'Rotate “Shop”?' }), 'Rotate key');
    await takeKey(page, 'Your new key string');
    expect(problems).toEqual([]);
  });

  test('is warned, before removing unused permissions, that only owners can restore them', async () => {
    const key = await keys.make(restricted);
    expect(await keys.use(key.keyString)).toBe(200);
    await keys.awaitReport(key, 1);
    const { page, problems } = await enterAsDeveloper(key.id);
    await press(page, 'Remove unused permissions');
    await page.getByText('You cannot undo this: only owners can make keys with orders:write.').waitFor();
    await press(page, 'Remove them');
    await toast(page, 'Unused permissions removed.').waitFor();
    expect(await button(page, 'Undo').count()).toBe(0);
    expect(await keys.use(key.keyString, '/v2/order')).toBe(403);
    expect(problems).toEqual([]);
  });
});

describe('the permissions of a key', () => {
  test('are reduced to the used ones after a forecast, which can be undone', async () => {
    const key = await keys.make(restricted);
    const { page, problems } = await keys.enter(`/${key.id}`);
    await page.getByText('Not used yet. Once the key is in use').waitFor();
    expect(await button(page, 'Remove unused permissions').count()).toBe(0);
    expect(await keys.use(key.keyString)).toBe(200);
    await keys.awaitReport(key, 1);
    await page.reload();
    await press(page, 'Remove unused permissions');
    const dialog = page.getByRole('dialog', { name: 'Remove unused permissions?' });
    await dialog.getByText('Requests that need orders:read or orders:write will be refused').waitFor();
    await dialog.getByText('None of the 1 request of the last 7 days would have been refused.').waitFor();
    await press(dialog, 'Remove them');
    // A toast stays while the mouse rests on it.
    await toast(page, 'Unused permissions removed.').hover();
    expect([await keys.use(key.keyString), await keys.use(key.keyString, '/v2/order')]).toEqual([200, 403]);
    await press(page, 'Undo');
    await toast(page, 'Permissions restored.').waitFor();
    expect(await keys.use(key.keyString, '/v2/order')).toBe(200);
    expect(problems).toEqual([]);
  });

  test('are not reduced when another one was used since the page was loaded', async () => {
    const key = await keys.make(restricted);
    expect(await keys.use(key.keyString)).toBe(200);
    await keys.awaitReport(key, 1);
    const { page } = await keys.enter(`/${key.id}`);
    await press(page, 'Remove unused permissions');
    // The page polls, and would show the use.
    const { release } = await holdRequests(page, `**/api-keys/${key.id}`);
    expect(await keys.use(key.keyString, '/v2/order')).toBe(200);
    await keys.awaitReport(key, 2);
    await press(page, 'Remove them');
    release();
    await page.getByText('Another permission was used just now, so nothing was changed.').waitFor();
    await page.getByText('Requests that need orders:write will be refused (403).').waitFor();
    expect(await keys.use(key.keyString, '/v2/order')).toBe(200);
  });

  test('are offered for a restricted key when a secret key has used few of them', async () => {
    const key = await keys.make({ name: 'Backend' });
    expect(await keys.use(key.keyString, '/v2/order')).toBe(200);
    await keys.awaitReport(key, 1);
    const { page } = await keys.enter(`/${key.id}`);
    await page.getByRole('link', { name: 'Create one with the used permissions only' }).click();
    await heading(page, 'Create a second key').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Backend (copy)');
    expect(await page.getByRole('radio', { name: /^Restricted key/ }).isChecked()).toBe(true);
    expect(await permission(page, 'orders:read').isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(1);
  });
});

describe('a change', () => {
  test('of name, description and permissions is saved, and shows what it removes', async () => {
    const key = await keys.make(restricted);
    const { page, problems } = await keys.enter(`/${key.id}`);
    await press(page, 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await field(dialog, 'Name').fill(' ');
    await press(dialog, 'Save');
    await dialog.getByText('Name must be one line of 1 to 100 characters.').waitFor();
    await field(dialog, 'Name').fill('Till');
    await field(dialog, 'Description').fill('At the counter');
    await permission(dialog, 'business:read').uncheck();
    await dialog.getByText('Requests that need business:read will be refused (403).').waitFor();
    await press(dialog, 'Save');
    await toast(page, 'Changes saved.').waitFor();
    await heading(page, 'Till').waitFor();
    await page.locator('main').getByText('At the counter').waitFor();
    expect([await keys.use(key.keyString), await keys.use(key.keyString, '/v2/order')]).toEqual([403, 200]);
    expect(problems).toEqual([]);
  });

  test('of the description keeps permissions that another owner has changed in the meantime', async () => {
    const key = await keys.make(restricted);
    const { page, problems } = await keys.enter(`/${key.id}`);
    await press(page, 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await field(dialog, 'Description').fill('At the counter');
    const other = await openDashboard(keys.ada, keys.ada.browser);
    const { status } = await other.own('PATCH', `/api-keys/${key.id}`, { scopes: ['business:read'] });
    expect(status).toBe(200);
    // The page polls every ten seconds.
    await page.locator('main').getByText('orders:read').waitFor({ state: 'detached' });
    await press(dialog, 'Save');
    await toast(page, 'Changes saved.').waitFor();
    await page.locator('main').getByText('At the counter').waitFor();
    expect([await keys.use(key.keyString), await keys.use(key.keyString, '/v2/order')]).toEqual([200, 403]);
    expect(problems).toEqual([]);
  });

  test('of the name of a secret key leaves its access as it is', async () => {
    const key = await keys.make();
    const { page } = await keys.enter(`/${key.id}`);
    await press(page, 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
    await field(dialog, 'Name').fill('Backend');
    await press(dialog, 'Save');
    await heading(page, 'Backend').waitFor();
    expect(await keys.use(key.keyString, '/v2/order')).toBe(200);
  });

  test('of an expired key is limited to its name', async () => {
    const key = await keys.make({ ...restricted, expiresAt: new Date(Date.now() + 60_000) });
    await stage.platform.sql(
      "UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() - interval '1 day' WHERE id = $1",
      [key.id],
    );
    const { page } = await keys.enter(`/${key.id}`);
    await page.getByText('An expired key cannot be rotated.').waitFor();
    expect(await button(page, 'Rotate key').isDisabled()).toBe(true);
    await press(page, 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await dialog.getByText('Only its name and description can be changed').waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
  });
});

describe('rotation', () => {
  test('shows the affected clients first and then the new string, and the old one stops working', async () => {
    const key = await keys.make(restricted);
    expect(await keys.use(key.keyString, '/v2/order', '2001:db8::7')).toBe(200);
    await keys.awaitReport(key, 1);
    const { page, problems } = await keys.enter(`/${key.id}`);
    await press(page, 'Rotate key');
    const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
    const radius = region(dialog, 'Usage of this key');
    await radius.getByText('1 request in the last hour').waitFor();
    expect(await radius.textContent()).toMatch(
      /in the last 24 hours.*2001:db8::7.*GET \/v2\/order 1 request/,
    );
    await dialog.getByText('The old string stops working at once').waitFor();
    await press(dialog, 'Rotate key');
    const { keyString, close } = await takeKey(page, 'Your new key string');
    expect([await keys.use(key.keyString), await keys.use(keyString)]).toEqual([401, 200]);
    await close();
    await page.getByText(`rk_…${keyString.slice(-4)}`).waitFor();
    expect(problems).toEqual([]);
  });

  test('offers a second key with the same settings instead', async () => {
    const key = await keys.make({ ...restricted, expiresAt: new Date(Date.now() + 30 * 86_400_000) });
    const { page } = await keys.enter(`/${key.id}`);
    await press(page, 'Rotate key');
    await page.getByText('Not used in the last 24 hours.').last().waitFor();
    await page.getByRole('link', { name: 'create a second key with the same settings' }).click();
    await heading(page, 'Create a second key').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Shop (copy)');
    await page.getByRole('checkbox', { checked: true }).first().waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(3);
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
    await press(page, 'Create key');
    const { keyString } = await takeKey(page, 'Your new API key');
    expect([await keys.use(keyString), await keys.use(key.keyString)]).toEqual([200, 200]);
  });

  test('waits for the usage of the key, but works without it when it is unavailable', async () => {
    const key = await keys.make(restricted);
    const { page } = await keys.enter(`/${key.id}`);
    await page.getByText('Not used in the last 24 hours').waitFor();
    let response: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      response = resolve;
    });
    await page.route('**/blast-radius', async (route) => {
      await held;
      await route.fulfill({ status: 404, json: { error: 'Not now.', status: 'Not Found', code: 404 } });
    });
    await press(page, 'Rotate key');
    const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
    await dialog.getByText('Loading').waitFor();
    expect(await button(dialog, 'Rotate key').isDisabled()).toBe(true);
    response();
    await dialog.getByText('Usage of this key is unavailable').waitFor();
    await press(dialog, 'Rotate key');
    await page.getByRole('dialog', { name: 'Your new key string' }).waitFor();
  });

  test('shows the usage and can be confirmed while the page behind it polls', async () => {
    const key = await keys.make(restricted);
    const { page } = await keys.enter('');
    await page.clock.install();
    await page.goto(keys.path(`/${key.id}`));
    await press(page, 'Rotate key');
    const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
    await dialog.getByText('Not used in the last 24 hours.').waitFor();
    const { sent, release } = await holdRequests(page, '**/blast-radius');
    await page.clock.runFor(10_000);
    await sent;
    expect(await dialog.getByText('Not used in the last 24 hours.').count()).toBe(1);
    expect(await button(dialog, 'Rotate key').isEnabled()).toBe(true);
    release();
  });

  test('that fails shows the error in its dialog, and works on retry', async () => {
    const key = await keys.make(restricted);
    const { page } = await keys.enter(`/${key.id}`);
    await page.route('**/rotate', (route) => route.abort());
    await press(page, 'Rotate key');
    const dialog = page.getByRole('dialog', { name: 'Rotate “Shop”?' });
    await press(dialog, 'Rotate key');
    await dialog.getByRole('alert').getByText('No response from the server.').waitFor();
    await page.unroute('**/rotate');
    await press(dialog, 'Rotate key');
    await page.getByRole('dialog', { name: 'Your new key string' }).waitFor();
  });
});

describe('deletion', () => {
  test('requires the name, and ends the key', async () => {
    const key = await keys.make(restricted);
    const { page, problems } = await keys.enter(`/${key.id}`);
    await press(page, 'Delete key');
    const dialog = page.getByRole('dialog', { name: 'Delete “Shop”?' });
    await dialog.getByText('Not used in the last 24 hours.').waitFor();
    expect(await button(dialog, 'Delete key').isDisabled()).toBe(true);
    await field(dialog, 'Type Shop to confirm').fill('shop');
    expect(await button(dialog, 'Delete key').isDisabled()).toBe(true);
    await field(dialog, 'Type Shop to confirm').fill('Shop');
    await page.keyboard.press('Enter');
    await toast(page, '“Shop” deleted.').waitFor();
    await page.getByText('No API keys yet').waitFor();
    expect(await keys.use(key.keyString)).toBe(401);
    await page.evaluate(`history.pushState(null, '', '${keys.path(`/${key.id}`)}')`);
    await heading(page, 'Key not found').waitFor();
    expect(problems).toEqual([]);
  });
});
