import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createBrowser } from '../harness/browser.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { eventually } from '../harness/eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { awaitMail, joinBusiness, mailsTo, signUp, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { invite } from '../harness/team.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, identities: 2 });
});
afterAll(() => platform?.close());

/** Somebody with a dashboard; `own` is about the business that was named when it was opened. */
interface Somebody extends TestPerson, Dashboard {}

const teamAnswer = z.object({
  members: z.array(
    z.object({ personId: z.string(), email: z.string(), role: z.string(), isYou: z.boolean() }),
  ),
  invitations: z.array(z.object({ id: z.string(), email: z.string(), role: z.string() })),
});

async function openOwner(): Promise<Somebody> {
  const person = await signUp(platform);
  return { ...person, ...(await openDashboard(person, person.browser)) };
}

/** Somebody with a business of their own who belongs to this one, too; `own` is about this one. */
async function openColleague(
  { businessId }: TestPerson,
  role: 'owner' | 'member',
  gateway = 1,
): Promise<Somebody> {
  const person = await signUp(platform, { gateway });
  await joinBusiness(platform, person, businessId, role);
  return { ...person, ...(await openDashboard({ businessId }, person.browser)) };
}

async function teamOf({ own }: Dashboard) {
  return teamAnswer.parse((await own('GET', '/team')).json());
}

const rolesOf = async (dashboard: Dashboard) =>
  Object.fromEntries((await teamOf(dashboard)).members.map(({ personId, role }) => [personId, role]));

const setRole = ({ own }: Dashboard, { id }: { id: string }, role: string) =>
  own('PATCH', `/team/members/${id}`, { role });

const remove = ({ own }: Dashboard, { id }: { id: string }) => own('DELETE', `/team/members/${id}`);

const accept = ({ call }: Dashboard, token: string) => call('POST', '/invitations/accept', { token });

async function auditOf({ businessId }: TestPerson) {
  const text = `SELECT action, actor_id, subject_id, details FROM audit_events
    WHERE business_id = $1 AND action LIKE 'member.%' ORDER BY id`;
  return query(platform.databases.identity, text, [businessId]);
}

const reasonOf = (answer: { status: number; json(): unknown }) => [
  answer.status,
  z.object({ reason: z.string().optional() }).parse(answer.json()).reason,
];

describe('the team', () => {
  test('is listed for everybody who belongs to it, with what the others do not say of themselves', async () => {
    const ada = await openOwner();
    const bob = await openColleague(ada, 'member');
    const { id } = await invite(platform, ada, 'cyd@people.test');
    const answer = await bob.own('GET', '/team');
    const moment = expect.stringMatching(/^20\d\d-.*Z$/);
    const common = { hasSecondFactor: false, joinedAt: moment, lastSeenAt: moment };
    expect(answer.json()).toEqual({
      members: [
        { personId: ada.id, name: ada.name, email: ada.email, role: 'owner', isYou: false, ...common },
        { personId: bob.id, name: bob.name, email: bob.email, role: 'member', isYou: true, ...common },
      ],
      invitations: [
        {
          id,
          email: 'cyd@people.test',
          role: 'member',
          inviterName: ada.name,
          createdAt: moment,
          expiresAt: moment,
        },
      ],
    });
    expect(answer.text).not.toMatch(/argon2|in_[0-9A-Za-z]{39}/);
  });

  test('remembers when somebody was seen after the session is over', async () => {
    const ada = await openOwner();
    const bob = await openColleague(ada, 'member');
    await ada.own('POST', '/team/invitations', { email: 'dee@people.test', role: 'member' });
    await query(platform.databases.identity, 'DELETE FROM sessions WHERE person_id = $1', [ada.id]);
    const seen = z.object({
      members: z.array(z.object({ personId: z.string(), lastSeenAt: z.string().nullable() })),
    });
    const { members } = seen.parse((await bob.own('GET', '/team')).json());
    expect(members.find(({ personId }) => personId === ada.id)?.lastSeenAt).not.toBeNull();
  });
});

describe('an invitation', () => {
  test('leads by its mailed link into the team, once, with the role that it names', async () => {
    const ada = await openOwner();
    const bob = await openOwner();
    const { link, token } = await invite(platform, ada, bob.email, 'owner');
    expect(link).toMatch(/^\/dashboard\/join\?token=in_[0-9A-Za-z]{39}$/);
    const preview = await bob.call('POST', '/invitations/preview', { token });
    expect(preview.json()).toEqual({
      businessName: 'Analytical Engines',
      inviterName: ada.name,
      role: 'owner',
      expiresAt: expect.any(String),
      isForYou: true,
    });
    const accepted = await accept(bob, token);
    expect([accepted.status, accepted.json()]).toEqual([200, { businessId: String(ada.businessId) }]);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner', [bob.id]: 'owner' });
    expect((await teamOf(ada)).invitations).toEqual([]);
    expect((await bob.call('GET', `/businesses/${ada.businessId}/team`)).status).toBe(200);
    expect(reasonOf(await accept(bob, token))).toEqual([409, 'invitation_over']);
    const email = bob.email;
    expect(await auditOf(ada)).toMatchObject([
      { action: 'member.invited', actor_id: ada.id, details: { email, role: 'owner' } },
      {
        action: 'member.joined',
        actor_id: bob.id,
        subject_id: bob.id,
        details: { email, role: 'owner', invitedBy: ada.id },
      },
    ]);
  });

  test('is kept as a hash alone', async () => {
    const ada = await openOwner();
    const { token } = await invite(platform, ada, 'hash@people.test');
    const rows = await query(
      platform.databases.identity,
      'SELECT *, extract(epoch FROM expires_at - created_at)::int / 86400 AS days FROM invitations WHERE business_id = $1',
      [ada.businessId],
    );
    expect(rows).toMatchObject([{ days: 7 }]);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('is for the invited address alone, which the others do not learn', async () => {
    const ada = await openOwner();
    const eve = await openOwner();
    const { token } = await invite(platform, ada, 'somebody@people.test');
    const preview = await eve.call('POST', '/invitations/preview', { token });
    expect(preview.json()).toMatchObject({ isForYou: false });
    const refused = await accept(eve, token);
    expect(reasonOf(refused)).toEqual([403, 'invitation_of_another']);
    expect(preview.text + refused.text).not.toContain('somebody@');
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner' });
  });

  test('that was taken back, replaced or is too old works no more; all look the same', async () => {
    const ada = await openOwner();
    const bob = await openOwner();
    const first = await invite(platform, ada, bob.email);
    // Another way to write the same address.
    const typed = { email: ` ${bob.email.toUpperCase()} `, role: 'owner' };
    const again = await ada.own('POST', '/team/invitations', typed);
    const second = z.object({ id: z.string() }).parse(again.json());
    const { link } = await awaitMail(platform.mailDirectory, bob.email, 3);
    expect((await teamOf(ada)).invitations).toMatchObject([{ id: second.id, role: 'owner' }]);
    const replaced = await accept(bob, first.token);
    expect((await ada.own('DELETE', `/team/invitations/${second.id}`)).status).toBe(204);
    const withdrawn = await accept(bob, link.split('token=')[1] ?? '');
    const third = await invite(platform, ada, bob.email);
    await query(
      platform.databases.identity,
      "UPDATE invitations SET expires_at = now() - interval '1 ms' WHERE id = $1",
      [third.id],
    );
    const expired = await accept(bob, third.token);
    const unknown = await accept(bob, `in_${'a'.repeat(39)}`);
    const previewed = await bob.call('POST', '/invitations/preview', { token: third.token });
    for (const answer of [replaced, withdrawn, expired, unknown, previewed]) {
      expect([answer.status, answer.json()]).toEqual([409, unknown.json()]);
    }
    expect((await teamOf(ada)).invitations).toEqual([]);
  });

  test('is the same for addresses with and without an account', async () => {
    const [ada, bob] = [await openOwner(), await openOwner()];
    const before = mailsTo(platform.mailDirectory, bob.email).length;
    const sent = async (email: string, mails: number) => {
      const answer = await ada.own('POST', '/team/invitations', { email, role: 'member' });
      const { subject, text } = await awaitMail(platform.mailDirectory, email, mails);
      const plain = answer.text.replaceAll(/inv_[0-9a-f]+|20\d\d-[^"]+/g, '').replaceAll(email, '');
      return [answer.status, plain, subject, text.replaceAll(/in_\w+/g, '')];
    };
    const known = await sent(bob.email, before + 1);
    expect(await sent('nobody@people.test', 1)).toEqual(known);
  });

  test('of somebody who belongs to the team already is refused at the field', async () => {
    const ada = await openOwner();
    const answer = await ada.own('POST', '/team/invitations', { email: ada.email, role: 'member' });
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { reason: 'already_member', fields: { email: expect.stringMatching(/belongs to the team/) } },
    ]);
  });

  test.each([
    [{ email: 'nowhere', role: 'member' }, 'email'],
    [{ email: '', role: 'member' }, 'email'],
    [{ email: 'a@b.test\nBcc: c@d.test', role: 'member' }, 'email'],
    [{ email: 'a@b.test', role: 'admin' }, 'role'],
    [{ email: 'a@b.test' }, 'role'],
    [{ email: ['a@b.test'], role: 'member' }, 'email'],
    [{ email: 'a@b.test', role: 'member', businessId: 1 }, 'businessId'],
  ])('of %j is refused, and %s is named', async (body, field) => {
    const ada = await openOwner();
    const answer = await ada.own('POST', '/team/invitations', body);
    expect([answer.status, answer.json()]).toMatchObject([400, { fields: { [field]: expect.any(String) } }]);
  });

  test('quotes names in its letter such that nothing in them is a link', async () => {
    const person = await signUp(platform, {
      name: 'Win at http://evil.example/now',
      businessName: 'www.evil.example',
    });
    const ada = { ...person, ...(await openDashboard(person, person.browser)) };
    await invite(platform, ada, 'quoted@people.test');
    const { text, subject } = await awaitMail(platform.mailDirectory, 'quoted@people.test');
    expect(text.match(/https?:\/\/\S+/g)).toHaveLength(1);
    expect(text + subject).not.toContain('evil.example');
    expect(text).toMatch(/sign up with this email\s+address/);
  });

  test('says 503 while business-service is lost, and sends nothing', async () => {
    const ada = await openOwner();
    const [business] = platform.businesses;
    await business?.stop();
    try {
      const body = { email: 'lost@people.test', role: 'member' };
      const answer = await ada.own('POST', '/team/invitations', body);
      expect(answer.status).toBe(503);
    } finally {
      await business?.start();
      const back = async () => {
        const { record } = z.object({ record: z.unknown() }).parse((await ada.own('GET', '')).json());
        expect(record).not.toBeNull();
      };
      await eventually(back, { withinMs: 15_000 });
    }
    expect(mailsTo(platform.mailDirectory, 'lost@people.test')).toEqual([]);
    expect((await teamOf(ada)).invitations).toEqual([]);
  });

  test('is there for a hundred, members included', async () => {
    const ada = await openOwner();
    await query(
      platform.databases.identity,
      `INSERT INTO invitations (id, token_hash, business_id, email, role, invited_by, expires_at)
       SELECT 'inv_' || $1 || '_' || n, decode(md5($1 || ':' || n), 'hex'), $1::bigint, n || '@crowd.test', 'member', $2,
              now() + interval '1 day' FROM generate_series(1, 99) AS n`,
      [String(ada.businessId), ada.id],
    );
    const full = await ada.own('POST', '/team/invitations', { email: 'late@people.test', role: 'member' });
    expect(reasonOf(full)).toEqual([409, 'team_full']);
    const again = await ada.own('POST', '/team/invitations', { email: '1@crowd.test', role: 'member' });
    expect(again.status).toBe(201);
  });
});

describe('somebody who was invited and has no account', () => {
  test('is led from the link over login and sign-up back to the invitation', async () => {
    const ada = await openOwner();
    const email = 'newcomer@people.test';
    const { link, token } = await invite(platform, ada, email);
    const browser = createBrowser(platform.gatewayPorts[1] ?? 0);
    const login = await browser.open(link);
    expect(browser.page.path).toBe(`/login?continue=${encodeURIComponent(link)}`);
    expect(login.text).toContain('log in with the address that it was sent to');
    const [, signUpPath = ''] = /href="([^"]+)">Create an account</.exec(login.text) ?? [];
    expect((await browser.open(signUpPath)).text).toContain(
      'Use the address that the invitation was sent to',
    );
    await browser.submit('/signup', { email });
    const mail = await awaitMail(platform.mailDirectory, email, 2);
    await browser.open(mail.link);
    const password = 'seven brass wheels turning';
    const fields = { name: 'New Comer', password, business_name: 'Newcomer', username: 'newcomer' };
    const done = await browser.submit('/signup/confirm', fields);
    expect([done.status, done.headers.location]).toEqual([303, link]);
    const newcomer = await openDashboard(ada, browser);
    expect((await accept(newcomer, token)).status).toBe(200);
    expect((await newcomer.own('GET', '/team')).status).toBe(200);
  });

  test('hears by mail to log in when there is an account after all, and is led back all the same', async () => {
    const [ada, bob] = [await openOwner(), await openOwner()];
    const { link } = await invite(platform, ada, bob.email);
    const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
    await browser.open(`/signup?continue=${encodeURIComponent(link)}`);
    await browser.submit('/signup', { email: bob.email });
    const mail = await awaitMail(platform.mailDirectory, bob.email, 3);
    expect(mail.link).toBe(`/login?continue=${encodeURIComponent(link)}`);
  });

  test('goes on as somebody else from the page of the invitation: the logout leads to a login that leads back', async () => {
    const ada = await openOwner();
    const { link } = await invite(platform, ada, 'other@people.test');
    await ada.browser.open('/account');
    const answer = await ada.browser.submit('/logout', { continue: link });
    expect(answer.headers.location).toBe(`/login?after=logged-out&continue=${encodeURIComponent(link)}`);
    await ada.browser.open('/login');
    await ada.browser.submit('/login', { email: ada.email, password: ada.password });
    await ada.browser.open('/account');
    const foreign = await ada.browser.submit('/logout', { continue: 'https://evil.example/' });
    expect(foreign.headers.location).toBe('/login?after=logged-out');
  });
});

describe('members, other than owners', () => {
  test('read the team, leave it, and change nothing', async () => {
    const ada = await openOwner();
    const bob = await openColleague(ada, 'member');
    const cyd = await openColleague(ada, 'member');
    const { id } = await invite(platform, ada, 'open@people.test');
    const answers = [
      await bob.own('POST', '/team/invitations', { email: 'x@people.test', role: 'member' }),
      await bob.own('DELETE', `/team/invitations/${id}`),
      await setRole(bob, bob, 'owner'),
      await setRole(bob, ada, 'member'),
      await remove(bob, ada),
      await remove(bob, cyd),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(403));
    expect((await remove(bob, bob)).status).toBe(204);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner', [cyd.id]: 'member' });
    expect((await bob.own('GET', '/team')).status).toBe(404);
    expect((await auditOf(ada)).at(-1)).toMatchObject({
      action: 'member.removed',
      actor_id: bob.id,
      subject_id: bob.id,
      details: { email: bob.email, role: 'member' },
    });
  });
});

describe('owners', () => {
  test('change roles, and rights change with the next call on every replica', async () => {
    const ada = await openOwner();
    const bob = await openColleague(ada, 'member', 1);
    expect((await setRole(ada, bob, 'owner')).status).toBe(204);
    expect((await setRole(bob, ada, 'member')).status).toBe(204);
    expect((await setRole(ada, bob, 'member')).status).toBe(403);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'member', [bob.id]: 'owner' });
    const from = (role: string, to: string) => ({ role: { from: role, to } });
    expect(await auditOf(ada)).toMatchObject([
      { action: 'member.role_changed', subject_id: bob.id, details: from('member', 'owner') },
      { action: 'member.role_changed', subject_id: ada.id, details: from('owner', 'member') },
    ]);
  });

  test('give a role that somebody has already without a trace', async () => {
    const ada = await openOwner();
    expect((await setRole(ada, ada, 'owner')).status).toBe(204);
    expect(await auditOf(ada)).toEqual([]);
  });

  test('remove members; who is removed logs in as before and has nothing here', async () => {
    const ada = await openOwner();
    const bob = await openColleague(ada, 'member', 1);
    await query(
      platform.databases.identity,
      'DELETE FROM memberships WHERE person_id = $1 AND business_id = $2',
      [bob.id, bob.businessId],
    );
    expect((await remove(ada, bob)).status).toBe(204);
    expect((await bob.own('GET', '/team')).status).toBe(404);
    const session = await bob.call('GET', '/session');
    expect([session.status, session.json()]).toMatchObject([200, { businesses: [] }]);
    await bob.browser.open('/account');
    expect(bob.browser.page.answer.text).toContain('You belong to no business');
  });

  test('find nobody who is not of the team', async () => {
    const [ada, eve] = [await openOwner(), await openOwner()];
    expect(reasonOf(await setRole(ada, eve, 'member'))).toEqual([404, 'member_not_found']);
    expect(reasonOf(await remove(ada, eve))).toEqual([404, 'member_not_found']);
    const { id } = await invite(platform, eve, 'hers@people.test');
    expect((await ada.own('DELETE', `/team/invitations/${id}`)).status).toBe(404);
    expect((await teamOf(eve)).invitations).toHaveLength(1);
    const foreign = await ada.call('GET', `/businesses/${eve.businessId}/team`);
    expect(foreign.status).toBe(404);
  });

  test('who are the last one neither leave nor step down', async () => {
    const ada = await openOwner();
    await openColleague(ada, 'member');
    expect(reasonOf(await remove(ada, ada))).toEqual([409, 'last_owner']);
    expect(reasonOf(await setRole(ada, ada, 'member'))).toEqual([409, 'last_owner']);
    expect((await rolesOf(ada))[ada.id]).toBe('owner');
  });

  test('who go take their invitations along, so that none leads back in', async () => {
    for (const go of [
      (ada: Somebody, bob: Somebody) => remove(ada, bob),
      (ada: Somebody, bob: Somebody) => setRole(ada, bob, 'member'),
    ]) {
      const ada = await openOwner();
      const bob = await openColleague(ada, 'owner');
      const { token } = await invite(platform, bob, 'second-mailbox@people.test');
      const kept = await invite(platform, ada, 'kept@people.test');
      expect((await go(ada, bob)).status).toBe(204);
      expect((await teamOf(ada)).invitations).toMatchObject([{ id: kept.id }]);
      expect((await accept(bob, token)).status).toBe(409);
      expect((await auditOf(ada)).at(-1)).toMatchObject({
        action: 'member.invitation_withdrawn',
        actor_id: ada.id,
        details: { email: 'second-mailbox@people.test' },
      });
    }
  });
});

describe('at the same moment', () => {
  /** Starts both while nobody gets at memberships, so that both have been let in as owners. */
  async function together<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
    const held = await holdTable(platform.databases.identity, 'audit_events');
    const answers = work.map((start) => start());
    await eventually(async () => expect(await held.waiting()).toBe(work.length), { withinMs: 5_000 });
    await held.release();
    return Promise.all(answers);
  }

  test.each([1, 2, 3])('two owners who leave: one does (%d)', async () => {
    const ada = await openOwner();
    const bob = await openColleague(ada, 'owner', 1);
    const cyd = await openColleague(ada, 'member');
    const answers = await together([() => remove(ada, ada), () => remove(bob, bob)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(Object.values(await rolesOf(cyd)).sort()).toEqual(['member', 'owner']);
  });

  test.each([1, 2, 3])('two owners who degrade each other: one does (%d)', async () => {
    const ada = await openOwner();
    const bob = await openColleague(ada, 'owner', 1);
    const answers = await together([() => setRole(ada, bob, 'member'), () => setRole(bob, ada, 'member')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
    expect(Object.values(await rolesOf(ada)).sort()).toEqual(['member', 'owner']);
  });

  test('ten acceptances of one invitation: one membership', async () => {
    const ada = await openOwner();
    const bob = await openOwner();
    const { token } = await invite(platform, ada, bob.email);
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(bob, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await auditOf(ada)).toHaveLength(2);
  });
});

describe('nobody', () => {
  let strict: Platform;
  beforeAll(async () => {
    strict = await startPlatform({ identityEnv: { THROTTLE_SCALE: '1' } });
  });
  afterAll(() => strict?.close());

  test('fills a mailbox with invitations, nor many mailboxes', async () => {
    const person = await signUp(strict);
    const { own } = await openDashboard(person, person.browser);
    const post = async (email: string) =>
      (await own('POST', '/team/invitations', { email, role: 'member' })).status;
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push(await post('victim@people.test'));
    expect(statuses).toEqual([201, 201, 201, 429]);
    const others = [];
    for (let n = 0; n < 28; n++) others.push(await post(`victim-${n}@people.test`));
    expect(others).toEqual([...Array(27).fill(201), 429]);
  });
});
