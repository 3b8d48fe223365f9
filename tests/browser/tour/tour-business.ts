import { expectEventually } from '../../harness/expect-eventually.ts';
import { call } from '../../harness/patience.ts';
import { joinBusiness, signUp, type TestPerson } from '../../harness/people.ts';
import type { Platform } from '../../harness/platform.ts';
import type { Tour } from './tour.ts';

const facts = { legalName: 'Analytical Engines Limited', registrationNumber: 'HRB 1000', country: 'GB' };

/** Everything about a business itself, its team and its freeze. */
export async function tourBusiness(tour: Tour, businessId: number, owner: TestPerson): Promise<void> {
  await tourVerification(tour, owner);
  await makeTeam(tour.platform, owner);
  await tourTeam(tour, businessId);
  await tourFreeze(tour, businessId);
  await tourMember(tour, owner);
  await tourLosses(tour, businessId);
}

const pageOf = (businessId: number) => `/dashboard/${businessId}/settings/business`;

async function tourVerification({ platform, page, look }: Tour, owner: TestPerson): Promise<void> {
  const businessId = await platform.createBusiness('difference');
  await joinBusiness(platform, owner, businessId, 'owner');
  await page.goto(pageOf(businessId));
  await page.getByRole('button', { name: 'Submit for verification' }).waitFor();
  await look('business-unverified');
  await page.getByRole('button', { name: 'Submit for verification' }).click();
  await page.getByText('Select a country.').waitFor();
  await page.getByRole('combobox', { name: 'Country' }).fill('king');
  await page.getByRole('option', { name: 'United Kingdom' }).waitFor();
  await look('business-verification-refused');
  await platform.businessRpc.SubmitVerification({ businessId, ...facts }, call);
  await page.reload();
  await page.getByText('In review', { exact: true }).waitFor();
  await look('business-pending');
  const reason = 'The register knows no company of this number.';
  await platform.businessRpc.RejectVerification({ businessId, reason }, call);
  await page.reload();
  await page.getByText(reason).waitFor();
  await look('business-rejected');
  await platform.banBusiness(businessId);
  await page.reload();
  await page.getByText('This business is banned').waitFor();
  await look('business-banned');
}

/** Members and invitations in every state. */
async function makeTeam(platform: Platform, owner: TestPerson): Promise<void> {
  const { businessId } = owner;
  const people = await Promise.all([
    signUp(platform, { name: 'Charles Babbage' }),
    signUp(platform, { name: 'W'.repeat(100), email: `${'w'.repeat(40)}@people.test` }),
    signUp(platform, { name: 'Mary Somerville' }),
  ]);
  for (const [index, person] of people.entries()) {
    await joinBusiness(platform, person, businessId, index === 0 ? 'owner' : 'developer');
  }
  await platform.sql('DELETE FROM sessions WHERE person_id = $1', [people[2]?.id]);
  for (const name of ['Warehouse', `Export ${'of all orders '.repeat(6)}`]) {
    const { id } = await platform.createKey({
      businessId,
      type: 'restricted',
      scopes: ['orders:read'],
      name,
    });
    await platform.sql('UPDATE api_keys SET created_by = $2, secret_seen_by = $2 WHERE id = $1', [
      id,
      people[2]?.id,
    ]);
  }
  await platform.sql('UPDATE people SET totp_secret = $2, totp_confirmed_at = now() WHERE id = $1', [
    people[0]?.id,
    Buffer.from('x'),
  ]);
  await platform.sql(
    "UPDATE memberships SET created_at = now() - random() * interval '400 days' WHERE business_id = $1 AND person_id <> $2",
    [businessId, owner.id],
  );
  await platform.sql(
    `INSERT INTO invitations (id, token_hash, business_id, email, role, invited_by, created_at, expires_at)
     SELECT 'inv_tour' || n, decode(md5($1 || ':' || n), 'hex'), $1::bigint, email, role::membership_role, $2,
            now() - n * interval '2 days', now() + interval '7 days' - n * interval '2 days'
     FROM (VALUES (1, 'grace@people.test', 'owner'),
                  (3, repeat('x', 64) || '@a-long-domain-of-a-person.test', 'developer')) AS given (n, email, role)`,
    [String(businessId), owner.id],
  );
}

async function tourTeam({ page, look }: Tour, businessId: number): Promise<void> {
  await page.goto(pageOf(businessId));
  await page.getByText('grace@people.test').waitFor();
  await look('business');
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText('Enter your email address.').waitFor();
  await look('business-invite');
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialogs = [
    ['Actions for Charles Babbage', 'Change the role', 'business-degrade'],
    ['Actions for Mary Somerville', 'Change the role', 'business-promote'],
    ['Actions for Mary Somerville', 'Remove from the team', 'business-remove'],
    ['Actions for you', 'Leave the team', 'business-leave'],
    ['Actions for the invitation of grace@people.test', 'Withdraw', 'business-take-back'],
  ] as const;
  for (const [button, item, name] of dialogs) {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('menuitem', { name: item }).waitFor();
    await page.getByRole('menuitem', { name: item }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    if (name === 'business-degrade') await dialog.getByRole('radio', { name: 'Viewer' }).check();
    if (name === 'business-promote') await dialog.getByRole('radio', { name: 'Owner' }).check();
    if (name === 'business-remove') await dialog.getByRole('checkbox', { name: 'Warehouse' }).waitFor();
    await look(name);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
}

/** Requests that a freeze would stop. */
async function makeCalls(platform: Platform, businessId: number): Promise<void> {
  const { keyString } = await platform.createKey({ businessId });
  for (let n = 0; n < 7; n++) await platform.me(keyString);
  const counted = 'SELECT 1 FROM request_log WHERE business_id = $1';
  const arrive = async () => {
    const rows = await platform.sql(counted, [businessId]);
    if (rows.length === 0) throw new Error('No call is on record yet.');
  };
  await expectEventually(arrive, { withinMs: 15_000 });
}

async function tourFreeze({ platform, page, look }: Tour, businessId: number): Promise<void> {
  await makeCalls(platform, businessId);
  await page.goto(pageOf(businessId));
  await page.getByLabel('Freeze API access').click();
  const dialog = page.getByRole('dialog', { name: 'Freeze API access?' });
  await dialog.getByText('would have been refused').waitFor();
  await look('business-freeze');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('A key was posted in a public chat');
  await dialog.getByRole('button', { name: 'Freeze API access' }).click();
  await page.getByText('Every API request is refused').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await look('business-frozen');
  await page.getByLabel('Freeze API access').click();
  const lift = page.getByRole('dialog', { name: 'Lift the freeze?' });
  await lift.waitFor();
  await look('business-lift');
  await lift.getByRole('button', { name: 'Lift the freeze' }).click();
  await lift.waitFor({ state: 'hidden' });
}

/** Pages as a member sees them. */
async function tourMember({ platform, page, look }: Tour, owner: TestPerson): Promise<void> {
  const role = 'UPDATE memberships SET role = $3::membership_role WHERE person_id = $1 AND business_id = $2';
  const { businessId, id } = owner;
  await platform.sql(role, [id, businessId, 'developer']);
  await page.goto(pageOf(businessId));
  await page.getByText('Only owners can freeze API access.').waitFor();
  await look('business-as-member');
  await page.goto(`/dashboard/${businessId}/settings/developers/keys/new`);
  await page.getByText('Only owners can create secret keys.').waitFor();
  await page.getByText('Create orders, change existing ones').waitFor();
  await look('new-key-as-member');
  await platform.sql(role, [id, businessId, 'viewer']);
  await page.goto(`/dashboard/${businessId}/settings/developers/keys/new`);
  await page.getByText('Viewers cannot create API keys').waitFor();
  await look('new-key-as-viewer');
  await platform.sql(role, [id, businessId, 'owner']);
}

async function tourLosses({ page, look }: Tour, businessId: number): Promise<void> {
  const business = `**/dashboard-api/businesses/${businessId}`;
  await page.route(business, (route) =>
    route.fulfill({ json: { id: '1', record: null, verification: null } }),
  );
  await page.goto(pageOf(businessId));
  await page.getByText('Record and verification are temporarily unavailable').waitFor();
  await look('business-without-record');
  await page.unroute(business);
  const team = '**/dashboard-api/businesses/*/team';
  await page.route(team, (route) =>
    route.fulfill({
      // One that the browser does not complain of.
      status: 429,
      headers: { 'X-Request-Id': 'req_0123456789abcdef' },
      json: { error: 'A part of the service is not available.', status: 'Too Many Requests', code: 429 },
    }),
  );
  await page.goto(pageOf(businessId));
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await look('business-team-not-loaded');
  await page.unroute(team);
}
