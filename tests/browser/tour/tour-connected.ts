import { authorizePath } from '../../harness/oauth.ts';
import { fail } from './fail.ts';
import type { Tour } from './tour.ts';

/** Connected apps of a business: one that uses a part of its scopes, and a new one. */
export async function tourConnected(tour: Tour, businessId: number): Promise<void> {
  const { platform, page, look } = tour;
  const ledger = await connectApp(tour, businessId, {
    name: 'Ledgerly',
    description: 'Puts every order into your books, with tax, and closes the month for you.',
    scopes: ['business:read', 'events:read', 'orders:read', 'orders:write'],
  });
  await platform.sql(
    `WITH used AS (
       UPDATE grants SET created_at = now() - interval '90 days', approved_at = now() - interval '30 days',
              scopes_used = '{business:read,orders:read}', last_used_at = now() - interval '2 minutes',
              last_used_ip = '203.0.113.7'
       WHERE application_id = $1 RETURNING id
     )
     INSERT INTO scope_uses (limit_id, scope, last_used_at)
     SELECT id, 'orders:read', now() - interval '2 minutes' FROM used`,
    [ledger],
  );
  await connectApp(tour, businessId, { name: 'W'.repeat(100), description: 'y'.repeat(500) });
  const path = `/dashboard/${businessId}/connected`;
  await page.goto(path);
  await page.getByText('Ask the publisher to request fewer.').waitFor();
  await look('connected');
  await page.getByRole('button', { name: 'Disconnect' }).first().click();
  await page.getByText('Its access to this business ends at once').waitFor();
  await look('connected-disconnect');
  await fail(page, '**/connections');
  await page.goto(path);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await look('connected-not-loaded');
  await page.unroute('**/connections');
}

/** Lets the business approve an app of another one. Resolves to its id. */
async function connectApp(
  { platform, page, shop }: Tour,
  businessId: number,
  settings: Omit<Parameters<Tour['platform']['createApplication']>[0], 'businessId'>,
): Promise<string> {
  const application = await platform.createApplication({
    businessId: await platform.createVerifiedBusiness('maker'),
    redirectUris: [shop.redirectUri],
    ...settings,
  });
  await page.goto(authorizePath(application));
  await page.locator(`[name=business][value="${businessId}"]`).check();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.waitForURL(shop.lastPage);
  return application.id;
}
