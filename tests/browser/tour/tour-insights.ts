import { randomUUID } from 'node:crypto';
import { authorizePath } from '../../harness/oauth.ts';
import { fail } from './fail.ts';
import { makeTraffic } from './make-traffic.ts';
import type { Tour } from './tour.ts';

/** Overview, requests and audit log of a busy business. */
export async function tourInsights(tour: Tour, businessId: number): Promise<void> {
  const { platform } = tour;
  await connectApp(tour, businessId);
  const { refusedId } = await makeTraffic(platform, businessId);
  const home = `/dashboard/${businessId}`;
  await tourOverview(tour, home);
  await tourRequests(tour, `${home}/settings/developers/requests`, refusedId);
  await tourAudit(tour, `${home}/audit`);
}

async function connectApp({ platform, page, shop }: Tour, businessId: number): Promise<void> {
  const application = await platform.createApplication({
    businessId: platform.businessId,
    name: 'Parcel Post',
    redirectUris: [shop.redirectUri],
  });
  await page.goto(authorizePath(application));
  await page.locator(`[name=business][value="${businessId}"]`).check();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.waitForURL(shop.lastPage);
}

async function tourOverview({ page, look }: Tour, home: string): Promise<void> {
  await page.goto(home);
  await page.getByText('Warehouse scanner').first().waitFor();
  await look('overview');
  await page.getByText('30 days', { exact: true }).click();
  await page.getByText('By hour', { exact: true }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await look('overview-30-days');
  await fail(page, '**/overview?*');
  await page.goto(home);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await look('overview-not-loaded');
  await page.unroute('**/overview?*');
}

async function tourRequests({ page, look }: Tour, list: string, refusedId: string): Promise<void> {
  await page.goto(list);
  await page.getByText('Scope orders:write is missing').first().waitFor();
  await look('requests');
  await page.goto(`${list}?status=5xx`);
  await page.getByText('No requests match.').waitFor();
  await look('requests-no-match');
  await page.goto(`${list}?view=groups`);
  await page.getByRole('table').waitFor();
  await look('requests-groups');
  await page.goto(`${list}?view=durations`);
  await page.getByRole('table').waitFor();
  await look('requests-durations');
  await page.goto(`${list}/${refusedId}`);
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  await look('request');
  await page.goto(`${list}/${randomUUID()}`);
  await page.getByText('Possible reasons').waitFor();
  await look('request-not-on-record');
}

async function tourAudit({ page, look }: Tour, log: string): Promise<void> {
  await page.goto(log);
  await page.getByText('Connected the app “Parcel Post”').waitFor();
  await page.getByRole('button', { name: /^Details: Created the API key “Web shop”/ }).click();
  await page.getByRole('button', { name: /^Details: Set the rate limit/ }).click();
  await page.getByText('Request ID').first().waitFor();
  await look('audit-details');
  await page.goto(`${log}?action=business.frozen`);
  await page.getByText('No events match.').waitFor();
  await look('audit-no-match');
}
