import type { TestApplication } from '../../harness/applications.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { connect } from '../../harness/oauth.ts';
import { joinBusiness, signUpVerified } from '../../harness/people.ts';
import type { Platform } from '../../harness/platform.ts';
import { fail } from './fail.ts';
import type { Tour } from './tour.ts';

/** Everything about a business's own apps. It has none yet. */
export async function tourApps(tour: Tour, businessId: number): Promise<void> {
  const { platform, page, look } = tour;
  const apps = `/dashboard/${businessId}/settings/developers/apps`;
  await tourUnverified(tour, businessId);
  await page.goto(`${apps}/new`);
  await page.getByRole('button', { name: 'Register the app' }).click();
  await page.getByText('Enter a name.').waitFor();
  await look('app-new-refused');

  const app = await registerApp(platform, businessId);
  await makeUse(platform, app);
  await page.goto(apps);
  await page.getByText('1 of 3 apps').waitFor();
  await look('apps');
  await page.goto(`${apps}/${app.id}`);
  await page.getByText('Lovelace & Daughters').waitFor();
  await page
    .getByRole('row', { name: /127\.0\.0\.1/ })
    .or(page.getByText('127.0.0.1'))
    .first()
    .waitFor();
  await page.getByText('30 days', { exact: true }).click();
  await page.getByText('By hour', { exact: true }).waitFor();
  await look('app');
  await tourSecrets(tour);
  await tourSettings(tour);
  await tourLimits(tour, businessId, apps);
  await page.goto(`${apps}/apl_gone`);
  await page.getByText('This app does not exist').waitFor();
  await look('app-gone');
  await fail(page, '**/applications');
  await page.goto(apps);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await look('apps-not-loaded');
  await page.unroute('**/applications');
}

async function tourUnverified({ platform, page, look }: Tour, businessId: number): Promise<void> {
  const [owner] = await platform.sql<{ person_id: string }>(
    'SELECT person_id FROM memberships WHERE business_id = $1',
    [businessId],
  );
  const unverified = await platform.createBusiness('fresh');
  await joinBusiness(platform, { id: owner?.person_id ?? '' }, unverified, 'owner');
  await page.goto(`/dashboard/${unverified}/settings/developers/apps`);
  await page.getByRole('link', { name: 'Go to verification' }).waitFor();
  await look('apps-unverified');
}

async function tourSecrets({ page, look }: Tour): Promise<void> {
  await page.getByRole('tab', { name: 'Credentials' }).click();
  await page.getByText('Try the OAuth flow').waitFor();
  await look('app-credentials');
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Replace now').waitFor();
  await look('app-rotate');
  await dialog.getByRole('button', { name: 'Create a second secret' }).click();
  await dialog.getByLabel('I have stored it').waitFor();
  await look('app-secret-once');
  await dialog.getByLabel('I have stored it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByRole('button', { name: /^Delete the secret/ })
    .first()
    .click();
  await dialog.getByText('stops working at once').waitFor();
  await look('app-secret-delete');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function tourSettings({ page, look }: Tour): Promise<void> {
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByText('Your current address').waitFor();
  await page.getByRole('switch', { name: 'Webhooks' }).check();
  await page.getByLabel('Order paid').check();
  await look('app-settings');
  await page.getByRole('textbox', { name: 'Name' }).fill('');
  await page.getByRole('textbox', { name: 'Redirect URI 2' }).fill('http://parcel-pilot.example/*');
  await page.getByRole('textbox', { name: 'Address or network 1' }).fill('parcel-pilot.example');
  // Both come while it is typed, and move the button below.
  await page.getByRole('textbox', { name: 'Name' }).focus();
  await page.getByText('is not a valid IP address or network.').waitFor();
  await page.getByText('would be blocked').waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Enter a name.').waitFor();
  await look('app-settings-refused');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('textbox', { name: 'Address or network 1' }).fill('198.51.100.7');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Block addresses that are in use?').waitFor();
  await look('app-shut-out');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete app' }).click();
  await dialog.getByText('businesses are disconnected').waitFor();
  await look('app-delete');
}

async function tourLimits({ platform, page, look }: Tour, businessId: number, apps: string): Promise<void> {
  const long = await platform.createApplication({
    businessId,
    name: 'W'.repeat(100),
    description: 'y'.repeat(500),
    scopes: ['business:read', 'events:read', 'orders:read', 'orders:write'],
    redirectUris: [`https://${'long-'.repeat(10)}example.com/${'path/'.repeat(60)}`],
  });
  await platform.createApplication({ businessId, name: 'Till', description: 'Takes money at the counter' });
  await page.goto(apps);
  await page.getByText('3 of 3 apps').waitFor();
  await look('apps-full');
  await page.goto(`${apps}/${long.id}?tab=settings`);
  await page.getByText('Your current address').waitFor();
  await look('app-long');
}

function registerApp(platform: Platform, businessId: number): Promise<TestApplication> {
  return platform.createApplication({
    businessId,
    name: 'Parcel Pilot',
    description: 'Prints shipping labels for new orders and tells you when a parcel has arrived.',
    redirectUris: ['https://parcel-pilot.example/oauth/callback', 'http://127.0.0.1/callback'],
    scopes: ['business:read', 'orders:read', 'orders:write'],
    ipWhitelist: ['127.0.0.1', '203.0.113.0/24', '2001:db8:42::/48'],
  });
}

/** Businesses that connect an app, one of which it has not served yet, and a month of requests. */
async function makeUse(platform: Platform, app: TestApplication): Promise<void> {
  const names = ['Difference Works', 'Lovelace & Daughters', 'Jacquard Looms'];
  const tokens: string[] = [];
  for (const businessName of names) {
    const { browser } = await signUpVerified(platform, { businessName });
    tokens.push((await connect(platform, browser, app)).accessToken);
  }
  const [first, second] = tokens;
  for (const key of [first, second, first]) {
    for (const path of ['/v2/order', '/v2/businesses/me']) {
      await platform.request(0, 'GET', path, key === undefined ? {} : { key });
    }
  }
  const reported = `SELECT sum(requests)::int AS n FROM usage_addresses u JOIN grants g ON g.id = u.limit_id
                    WHERE g.application_id = $1`;
  await expectEventually(
    async () => {
      const [row] = await platform.sql<{ n: number }>(reported, [app.id]);
      if (row?.n !== 6) throw new Error('The gateway has not reported yet.');
    },
    { withinMs: 15_000 },
  );
  await platform.sql(
    `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
     SELECT g.business_id, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', g.id,
            (200 + 150 * sin(n * 0.26))::int, (n * 37) % 20, CASE WHEN n % 29 < 3 THEN 40 ELSE 0 END, (n * 13) % 5
     FROM generate_series(1, 720) AS n, grants g WHERE g.application_id = $1
     ON CONFLICT DO NOTHING`,
    [app.id],
  );
}
