import { expectEventually } from '../../harness/expect-eventually.ts';
import { joinBusiness, type TestPerson } from '../../harness/people.ts';
import type { Platform } from '../../harness/platform.ts';
import { fail } from './fail.ts';
import type { Tour } from './tour.ts';

/** Everything about API keys, in a business of their own. */
export async function tourKeys(tour: Tour, _businessId: number, owner: TestPerson): Promise<void> {
  const { platform, page, look } = tour;
  const businessId = await platform.createVerifiedBusiness('keys');
  await joinBusiness(platform, owner, businessId, 'owner');
  const keys = `/dashboard/${businessId}/settings/developers/keys`;
  await page.goto(keys);
  await tourNewKey(tour);
  const shopId = await makeShop(platform, businessId);
  await makeOthers(platform, businessId);
  await page.goto(keys);
  await page.getByText('Nightly export').waitFor();
  await look('keys');
  await tourDeletion(tour);
  await page.getByLabel('Search by name').fill('nothing like that');
  await page.getByText('No keys match.').waitFor();
  await look('keys-no-match');

  await page.goto(`${keys}/${shopId}`);
  await page.getByRole('heading', { name: 'Web shop' }).waitFor();
  await page.getByText('Remove unused permissions').waitFor();
  await look('key');
  await tourKeyDialogs(tour);
  await page.goto(`${keys}/key_gone`);
  await page.getByText('This key does not exist').waitFor();
  await look('key-gone');
  await tourKeyFailure(tour, keys);
}

async function tourNewKey({ page, look }: Tour): Promise<void> {
  await page.getByRole('link', { name: 'Create your first key' }).click();
  await page.getByText('Create orders, change existing ones and erase their customers').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Enter a name.').waitFor();
  await look('key-new-refused');
  await page.getByLabel('See your orders').check();
  await page.getByRole('textbox', { name: 'Name' }).fill('Accounting');
  await page.getByRole('textbox', { name: 'Description' }).fill('Monthly books');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
  await look('key-shown-once');
  await page.getByLabel('I have stored it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { name: 'Accounting' }).waitFor();
  await page.getByText('Not used in the last 24 hours').waitFor();
  await look('key-unused');
}

async function tourDeletion({ page, look }: Tour): Promise<void> {
  for (const name of ['Web shop', 'Backend']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  }
  const bar = page.getByRole('region', { name: 'Selected keys' });
  await bar.getByText('2 keys selected').waitFor();
  await look('keys-selected');
  await bar.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 API keys?' });
  await dialog.getByText('used in the last 24 hours').waitFor();
  await look('keys-delete');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Text of a dialog that is there when it is loaded. */
const shown: Readonly<Record<string, string>> = {
  'key-edit': 'Create orders',
  'key-unused-permissions': 'would have been refused',
};

async function tourKeyDialogs({ page, look }: Tour): Promise<void> {
  const dialogs = [
    ['Remove unused permissions', 'Remove unused permissions?', 'key-unused-permissions'],
    ['Edit', 'Edit key', 'key-edit'],
    ['Freeze key', 'Freeze “Web shop”?', 'key-freeze'],
    ['Rotate key', 'Rotate “Web shop”?', 'key-rotate'],
    ['Delete key', 'Delete “Web shop”?', 'key-delete'],
  ] as const;
  for (const [button, title, name] of dialogs) {
    await page.getByRole('button', { name: button, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByText(shown[name] ?? 'in the last hour').waitFor();
    await look(name);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  await page.getByRole('button', { name: 'Freeze key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Freeze key' }).click();
  await page.getByText('This key is frozen').waitFor();
  await look('key-frozen');
  await page.getByText('30 days', { exact: true }).click();
  await page.getByText('By hour', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('table').waitFor();
  await look('key-as-table');
}

async function tourKeyFailure({ page, look }: Tour, keys: string): Promise<void> {
  const list = '**/dashboard-api/businesses/*/api-keys';
  await fail(page, list);
  await page.goto(keys);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await look('keys-not-loaded');
  await page.unroute(list);
}

/** A key with recent and older requests. */
async function makeShop(platform: Platform, businessId: number): Promise<string> {
  const scopes = ['business:read', 'events:read', 'orders:read', 'orders:write'];
  const key = await platform.createKey({ type: 'restricted', scopes, name: 'Web shop', businessId });
  await platform.updateKey(key, { description: 'Shows orders to customers of the web shop, in production' });
  await platform.setKeyLimit(key, 2_000);
  const send = (path: string) => platform.request(0, 'GET', path, { key: key.keyString });
  for (let i = 0; i < 40; i++)
    await Promise.all([send('/v2/order'), send('/v2/businesses/me'), send('/v2/x')]);
  const counted = 'SELECT 1 FROM usage_hours WHERE limit_id = $1';
  await expectEventually(
    async () => {
      if ((await platform.sql(counted, [key.id])).length === 0) throw new Error('not yet');
    },
    { withinMs: 15_000 },
  );
  await platform.sql(
    `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
     SELECT $1, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', $2,
            (400 + 300 * sin(n * 0.26))::int, (n * 37) % 60, CASE WHEN n % 29 < 3 THEN 90 ELSE 0 END, (n * 13) % 7
     FROM generate_series(1, 2100) AS n
     ON CONFLICT DO NOTHING`,
    [businessId, key.id],
  );
  await platform.sql(
    `INSERT INTO usage_addresses (limit_id, hour, address, business_id, requests, successes)
     SELECT $2, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', '203.0.113.' || n, $1, 900 / n, 880 / n
     FROM generate_series(1, 8) AS n`,
    [businessId, key.id],
  );
  return key.id;
}

/** Keys in every state. */
async function makeOthers(platform: Platform, businessId: number): Promise<void> {
  const day = 86_400_000;
  const add = (name: string, days?: number, scopes?: string[]) =>
    platform.createKey({
      name,
      businessId,
      type: scopes ? 'restricted' : 'secret',
      ...(scopes && { scopes }),
      ...(days !== undefined && { expiresAt: new Date(Date.now() + days * day) }),
    });
  await add('Nightly export', 5, ['orders:read']);
  await add('W'.repeat(100), 300, ['business:read', 'orders:read', 'orders:write']);
  await add('Backend');
  const old = await add('Partner trial', 30, ['orders:read']);
  await platform.sql(
    "UPDATE api_keys SET created_at = now() - interval '40 days', expires_at = now() - interval '10 days' WHERE id = $1",
    [old.id],
  );
}
