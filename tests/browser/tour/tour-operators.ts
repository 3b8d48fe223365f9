import { openDashboard } from '../../harness/dashboard.ts';
import { png, sendLogo } from '../../harness/logo.ts';
import { makeOperator, type TestOperator } from '../../harness/operators.ts';
import { signUp, type TestPerson } from '../../harness/people.ts';
import { query } from '../../harness/postgres.ts';
import { heading, press, region } from '../locators.ts';
import type { Tour } from './tour.ts';

const longWord = 'Donaudampfschifffahrtsgesellschaftskapitänsmützen';

/** The operators' console, with something of each kind that waits; the owner of the tour is logged in again afterwards. */
export async function tourOperators(tour: Tour, businessId: number, owner: TestPerson): Promise<void> {
  const { platform, page } = tour;
  const ada = await makeOperator(platform);
  const bob = await makeOperator(platform, { name: 'Bob' });
  const pendingId = await fillQueue(tour, businessId, owner, [ada, bob]);
  const before = await page.context().cookies();
  await page.context().clearCookies();
  const url = platform.publicUrl;
  await page.context().addCookies([...ada.browser.cookies].map(([name, value]) => ({ name, value, url })));
  await tourQueue(tour);
  await tourBusiness(tour, businessId, pendingId);
  await tourLog(tour);
  await page.context().clearCookies();
  await page.context().addCookies(before);
}

/** A verification, requests for limits, and proposals of both operators; resolves to the business that waits. */
async function fillQueue(
  { platform }: Tour,
  businessId: number,
  owner: TestPerson,
  [ada, bob]: readonly [TestOperator, TestOperator],
): Promise<number> {
  const { databases, businessRpc } = platform;
  const pending = await signUp(platform, { businessName: `${longWord} & Co.` });
  const facts = { legalName: `${longWord} Limited`, registrationNumber: 'HRB 123456 B', country: 'DE' };
  await businessRpc.SubmitVerification({ businessId: pending.businessId, ...facts }, { deadlineMs: 30_000 });
  const application = await platform.createApplication({ businessId, name: `${longWord} Connect` });
  const key = await platform.createKey({ businessId, name: 'Warehouse scanner' });
  await sendLogo(owner, png(64));
  const { own } = await openDashboard(owner, owner.browser);
  const reason = 'We open shops in three countries in May, and each of them has its own till and warehouse.';
  for (const [kind, subjectId, limit] of [
    ['connected_users', application.id, 200],
    ['rate_limit', key.id, 50_000],
  ]) {
    await own('POST', '/limit-requests', { kind, subjectId, limit, reason });
  }
  const path = `/businesses/${businessId}/applications/${application.id}`;
  await bob.call('POST', `${path}/suspend`, { reason: 'It asks for passwords on its own page.' });
  for (const [number, by, text] of [
    [pending.businessId, ada, 'It copies the name and the logo of another business.'],
    [businessId, bob, `${longWord}: orders were paid and never delivered.`],
  ] as const) {
    await query(
      databases.identity,
      `INSERT INTO ban_proposals (id, business_id, is_ban, reason, proposed_by, expires_at)
       VALUES ('ban_' || $1::bigint, $1::bigint, true, $2, $3, now() + interval '72 hours')`,
      [number, text, by.id],
    );
  }
  return pending.businessId;
}

async function tourQueue({ page, look }: Tour): Promise<void> {
  await page.goto('/operators');
  await region(page, 'Bans').getByText('Yours', { exact: true }).waitFor();
  await look('operators-queue');
  await press(region(page, 'Bans'), 'Confirm');
  await page.getByRole('dialog').waitFor();
  await press(page.getByRole('dialog'), 'Confirm');
  await page.getByText('Enter a reason.').waitFor();
  await look('operators-confirm');
}

async function tourBusiness(
  { platform, page, look }: Tour,
  businessId: number,
  pendingId: number,
): Promise<void> {
  await page.goto('/operators/search');
  await heading(page, 'Search').waitFor();
  await look('operators-search-empty');
  await page.goto('/operators/search?text=engines');
  await page.getByRole('list', { name: 'Businesses' }).waitFor();
  await look('operators-search');
  for (const [name, id] of [
    ['business', businessId],
    ['business-pending', pendingId],
  ]) {
    await page.goto(`/operators/businesses/${id}`);
    await page.getByRole('list', { name: 'Audit log' }).waitFor();
    await look(`operators-${name}`);
  }
  // One without a proposal.
  const { businessId: otherId } = await signUp(platform);
  await page.goto(`/operators/businesses/${otherId}`);
  await press(region(page, 'Business'), 'Ban');
  await page.getByRole('dialog').waitFor();
  await look('operators-ban');
}

async function tourLog({ page, look }: Tour): Promise<void> {
  await page.goto('/operators/log');
  await page.getByRole('list', { name: 'Log of operators' }).waitFor();
  await look('operators-log');
  await page.goto('/operators/join?token=x');
  await page.getByRole('region', { name: 'Invitation' }).waitFor();
  await look('operators-join');
  await page.goto('/operators/nowhere');
  await page.getByText('This page does not exist').waitFor();
  await look('operators-not-found');
}
