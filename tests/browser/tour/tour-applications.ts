import { authorizePath } from '../../harness/oauth.ts';
import type { Tour } from './tour.ts';

/** Consent in its variants, and the applications that are connected then. */
export async function tourApplications(tour: Tour, businessId: number): Promise<void> {
  const { platform, page, shop, look } = tour;
  await page.goto('/account/applications');
  await look('connected-none');

  const application = await platform.createApplication({
    businessId: platform.businessId,
    name: 'Parcel Post',
    description: 'Prints shipping labels for new orders and tells you when a parcel has arrived.',
    redirectUris: [shop.redirectUri],
    scopes: ['business:read', 'orders:read', 'orders:write', 'events:read'],
  });
  const approve = async () => {
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(shop.lastPage);
  };
  await page.goto(authorizePath(application, { scope: 'business:read orders:read' }));
  await look('consent');
  await approve();
  await page.goto(authorizePath(application));
  await look('consent-new-scopes');
  await approve();
  await page.goto('/account/applications');
  await look('connected');
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('status').waitFor();
  await look('connected-ended');
  await tourSeveralBusinesses(tour, businessId, authorizePath(application));
}

async function tourSeveralBusinesses(
  { platform, page, look }: Tour,
  businessId: number,
  path: string,
): Promise<void> {
  const another = await platform.createVerifiedBusiness('difference');
  const rows = "SELECT person_id, $2, 'owner' FROM memberships WHERE business_id = $1";
  const text = `INSERT INTO memberships (person_id, business_id, role) ${rows}`;
  await platform.sql(text, [businessId, another]);
  await page.goto(path);
  await look('consent-several-businesses');
}
