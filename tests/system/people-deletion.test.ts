import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { authenticatorOf } from '../harness/authenticator.ts';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdLocks, holdTable } from '../harness/hold-table.ts';
import { authorizePath, submitConsent } from '../harness/oauth.ts';
import { awaitMail, joinBusiness, logIn, newAddress, signUp, signUpVerified } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { settings } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { acceptInvitation, type DashboardPerson, invite, openColleague, openOwner } from '../harness/team.ts';

/* The end of an account: sessions and personal data go, keys and the audit log stay with the businesses. */

const platform = running(sharedPlatform);

const remove = ({ call, password }: DashboardPerson, more: object = {}) =>
  call('DELETE', '/profile', { password, ...more });

const obstaclesOf = async ({ call }: DashboardPerson) =>
  z
    .object({ obstacles: z.array(z.object({ businessId: z.string(), reason: z.string() })) })
    .parse((await call('GET', '/profile/deletion')).json())
    .obstacles.map(({ businessId, reason }) => [Number(businessId), reason]);

const exists = async ({ id }: DashboardPerson) =>
  (await platform.sql('SELECT 1 FROM people WHERE id = $1', [id])).length > 0;

/** Tables with a row that has a value in any column. */
async function tablesWith(value: string): Promise<string[]> {
  const tables = await platform.sql<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await platform.sql(
        `SELECT 1 FROM "${name}" AS each WHERE position($1 in each::text) > 0`,
        [value],
      );
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}

describe('an account', () => {
  test('is deleted at once, with its sessions on every replica, personal data and mailed links', async () => {
    const ada = await openOwner(platform);
    const elsewhere = await logIn(platform, ada, 1);
    await elsewhere.open('/dashboard');
    const changing = newAddress('ada');
    await ada.call('POST', '/profile/email', { email: changing, password: ada.password });
    const { link } = await awaitMail(platform.mailDirectory, changing);
    expect((await remove(ada)).status).toBe(204);
    for (const browser of [elsewhere, ada.browser]) {
      expect((await browser.send('GET', '/dashboard-api/session')).status).toBe(401);
    }
    await elsewhere.open(link);
    expect(elsewhere.page.path).toMatch(/^\/login/);
    await expect(logIn(platform, ada)).rejects.toThrow('The login failed');
    expect(await tablesWith(ada.email)).toEqual([]);
    expect(await tablesWith(changing)).toEqual([]);
    expect(await tablesWith(ada.id)).toEqual(['audit_events']);
    expect((await awaitMail(platform.mailDirectory, ada.email, 2)).subject).toBe('Your account was deleted');
    // The address is free again.
    await elsewhere.open('/signup');
    await elsewhere.submit('/signup', { email: ada.email });
    expect((await awaitMail(platform.mailDirectory, ada.email, 3)).subject).toBe(
      'Confirm your email address',
    );
  });

  test('is deleted only once when two sessions delete it at the same time', async () => {
    const ada = await openOwner(platform);
    const browser = await logIn(platform, ada, 1);
    const phone = { ...ada, ...(await openDashboard(ada, browser)) };
    // Until both have read their session.
    const held = await holdTable(platform.databases.identity, 'audit_events', 'writes');
    const deletions = Promise.all([ada, phone].map((each) => remove(each)));
    try {
      await expectEventually(async () => expect(await held.waiting()).toBe(2), { withinMs: 5_000 });
    } finally {
      await held.release();
    }
    expect((await deletions).map(({ status }) => status).sort()).toEqual([204, 400]);
    expect(await exists(ada)).toBe(false);
  });

  test('leaves keys, team and audit log to the business, which shows it as a deleted account', async () => {
    const owner = await openOwner(platform);
    const ada = await openColleague(platform, owner, 'owner');
    const settings = { name: 'Till', description: '', keyType: 'secret', scopes: [], expiresAt: null };
    await ada.confirm();
    const created = await ada.own('POST', '/api-keys', settings);
    expect(created.status).toBe(201);
    const { keyString } = z.object({ keyString: z.string() }).parse(created.json());
    const invited = await invite(platform, ada, newAddress('invited'));
    expect((await remove(ada)).status).toBe(204);
    const response = await platform.me(keyString, 1);
    expect(response.status).toBe(200);
    const team = await owner.own('GET', '/team');
    expect(team.text).not.toContain(ada.email);
    expect(team.text).not.toContain(invited.id);
    const log = await owner.own('GET', '/audit-events');
    expect(log.text).not.toContain(ada.email);
    const { events } = z
      .object({
        events: z.array(
          z.object({ action: z.string(), actor: z.object({ id: z.string(), name: z.string().nullable() }) }),
        ),
      })
      .parse(log.json());
    const own = events.filter(({ actor }) => actor.id === ada.id);
    expect(own.map(({ action, actor }) => [action, actor.name])).toEqual(
      expect.arrayContaining([
        ['person.deleted', null],
        ['api_key.created', null],
      ]),
    );
    const csv = await owner.own('GET', '/audit-events.csv');
    expect(csv.text).toContain(`Deleted account,,person,${ada.id}`);
  });
});

describe('the deletion of an account', () => {
  test('is refused to the only owner of a business with members, until it is handed over', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'developer');
    expect(await obstaclesOf(ada)).toEqual([[ada.businessId, 'members']]);
    const refused = await remove(ada);
    expect([refused.status, refusalOf(refused).reason]).toEqual([409, 'only_owner_members']);
    expect(await exists(ada)).toBe(true);
    await ada.own('PATCH', `/team/members/${bob.id}`, { role: 'owner' });
    expect(await obstaclesOf(ada)).toEqual([]);
    expect((await remove(ada)).status).toBe(204);
    expect((await bob.own('GET', '/team')).status).toBe(200);
  });

  test('is refused to the only owner of a business with keys, until they are deleted', async () => {
    const ada = await openOwner(platform);
    const key = await platform.createKey({ businessId: ada.businessId });
    expect(await obstaclesOf(ada)).toEqual([[ada.businessId, 'active']]);
    expect(refusalOf(await remove(ada))).toMatchObject({ code: 409, reason: 'only_owner_active' });
    await platform.deleteKey(key);
    expect((await remove(ada)).status).toBe(204);
  });

  test('succeeds for only one of the last two owners of a business who try at the same time', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'owner');
    const carl = await signUp(platform);
    await joinBusiness(platform, carl, ada.businessId, 'developer');
    const held = await holdTable(platform.databases.identity, 'audit_events', 'writes');
    const deletions = Promise.all([remove(ada), remove(bob)]);
    try {
      // Both have read the team, unless one waits for the other there.
      await expectEventually(async () => expect(await held.waiting()).toBe(2), { withinMs: 5_000 });
    } finally {
      await held.release();
    }
    expect((await deletions).map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  test.each(['developer', 'owner'] as const)(
    'refuses an invited %s who joins the business of the account at the same time',
    async (role) => {
      const ada = await openOwner(platform);
      const bob = await openOwner(platform);
      const { token } = await invite(platform, ada, bob.email, role);
      const held = await holdLocks(
        platform.databases.identity,
        'SELECT 1 FROM people WHERE id = $1 FOR UPDATE',
        [ada.id],
      );
      // It has read the team, and waits for its person.
      const deletion = remove(ada);
      await held.untilWaiting(1);
      const join = acceptInvitation(bob, token);
      await Promise.race([join, held.untilWaiting(2)]);
      await held.release();
      expect([(await deletion).status, (await join).status]).toEqual([204, 409]);
      expect(
        await platform.sql('SELECT 1 FROM memberships WHERE business_id = $1', [ada.businessId]),
      ).toEqual([]);
    },
  );

  test('leaves no app connected to a business without people, even one that is approved at the same time', async () => {
    const person = await signUpVerified(platform);
    const ada = { ...person, ...(await openDashboard(person, person.browser)) };
    const businessId = await platform.createVerifiedBusiness('maker');
    await ada.browser.open(authorizePath(await platform.createApplication({ businessId })));
    const lock = 'SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE';
    const held = await holdLocks(platform.databases.identity, lock, [ada.id]);
    // It has read what acts for the business, and waits for its person.
    const deletion = remove(ada);
    await held.untilWaiting(1);
    const approval = submitConsent(ada.browser, 'approve');
    await Promise.race([approval, held.untilWaiting(2)]);
    await held.release();
    expect([(await deletion).status, (await approval).status]).toEqual([204, 403]);
    const live = 'SELECT 1 FROM grants WHERE business_id = $1 AND ended_at IS NULL';
    expect(await platform.sql(live, [ada.businessId])).toEqual([]);
  });

  test('leaves no app of a business without people, even one that is registered at the same time', async () => {
    const person = await signUpVerified(platform);
    const ada = { ...person, ...(await openDashboard(person, person.browser)) };
    const lock = 'SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE';
    const held = await holdLocks(platform.databases.identity, lock, [ada.id]);
    const deletion = remove(ada);
    await held.untilWaiting(1);
    const registration = ada.own('POST', '/applications', settings);
    await Promise.race([registration, held.untilWaiting(2)]);
    await held.release();
    expect([(await deletion).status, (await registration).status]).toEqual([204, 403]);
    expect(await platform.sql('SELECT 1 FROM applications WHERE business_id = $1', [ada.businessId])).toEqual(
      [],
    );
  });

  test('needs the password, and a code of the second factor', async () => {
    const ada = await openOwner(platform);
    const { password } = ada;
    expect(refusalOf(await remove(ada, { password: 'not my password' })).reason).toBe('wrong_password');
    const offer = await ada.call('POST', '/profile/second-factor', { password });
    const { secret } = z.object({ secret: z.string() }).parse(offer.json());
    const { code, earliestCode } = authenticatorOf(secret);
    await ada.call('POST', '/profile/second-factor/confirm', { code: await earliestCode() });
    expect(refusalOf(await remove(ada)).reason).toBe('code_required');
    expect(refusalOf(await remove(ada, { code: '000000' })).reason).toBe('wrong_code');
    expect((await remove(ada, { code: code() })).status).toBe(204);
    const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
    await browser.open('/login?after=account-deleted');
    expect(browser.page.response.text).toContain('Your account is deleted.');
  });
});
