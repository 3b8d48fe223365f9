import { describe, expect, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { awaitMail, mailsTo, newAddress } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { invite, memberEvents, openOwner, rolesOf, teamOf } from '../harness/team.ts';

/** The way of an invitation from the mail over login or sign-up into the team. */

const platform = running(sharedPlatform);

describe('a person who was invited and has no account', () => {
  const name = 'New Comer';
  const password = 'seven brass wheels turning';
  const membershipsText =
    'SELECT business_id, role FROM memberships JOIN people ON id = person_id WHERE email = $1';
  const businessesOf = (email: string) => platform.sql(membershipsText, [email]);

  /** Goes on to the form behind the link that confirms the address. */
  async function openForm(invitationLink: string, email: string) {
    const browser = createBrowser(platform.gatewayPorts[1] ?? 0);
    await browser.open(`/signup?continue=${encodeURIComponent(invitationLink)}`);
    const before = mailsTo(platform.mailDirectory, email).length;
    await browser.submit('/signup', { email });
    const { link } = await awaitMail(platform.mailDirectory, email, before + 1);
    return { browser, form: await browser.open(link) };
  }

  test('is led from the link through login and sign-up into the team, without a business of their own', async () => {
    const ada = await openOwner(platform);
    const email = newAddress('newcomer');
    const { link } = await invite(platform, ada, email);
    const browser = createBrowser(platform.gatewayPorts[1] ?? 0);
    const login = await browser.open(link);
    expect(browser.page.path).toBe(`/login?continue=${encodeURIComponent(link)}`);
    expect(login.text).toContain('log in with the email address it was sent to');
    const [, signUpPath = ''] = /href="([^"]+)">Create an account</.exec(login.text) ?? [];
    expect((await browser.open(signUpPath)).text).toContain(
      'Use the email address that the invitation was sent to',
    );
    await browser.submit('/signup', { email });
    const form = await browser.open((await awaitMail(platform.mailDirectory, email, 2)).link);
    expect(form.text).toContain(
      'Ada Lovelace invited you. With this account you join <strong>Analytical Engines</strong> as a developer.',
    );
    expect(form.text).not.toContain('name="username"');
    const refused = await browser.submit('/signup/confirm', { name, password: 'short' });
    expect([refused.status, refused.text.includes('name="username"')]).toEqual([400, false]);

    const done = await browser.submit('/signup/confirm', { name, password });
    expect([done.status, done.headers.location]).toEqual([303, `/dashboard/${ada.businessId}`]);
    expect(await businessesOf(email)).toEqual([{ business_id: String(ada.businessId), role: 'developer' }]);
    expect((await teamOf(ada)).invitations).toEqual([]);
    expect((await memberEvents(platform, ada)).map(({ action }) => action)).toEqual([
      'member.invited',
      'member.joined',
    ]);
    const newcomer = await openDashboard(ada, browser);
    expect((await newcomer.own('GET', '/team')).status).toBe(200);
  });

  test('is asked for a business if the invitation has ended in the meantime', async () => {
    const ada = await openOwner(platform);
    const email = newAddress('late');
    const { id, link } = await invite(platform, ada, email);
    const { browser } = await openForm(link, email);
    await ada.own('DELETE', `/team/invitations/${id}`);
    const asked = await browser.submit('/signup/confirm', { name, password });
    expect([asked.status, asked.text.includes('Enter the name of your business.')]).toEqual([400, true]);
    const own = { business_name: 'Late', username: 'late-business' };
    const done = await browser.submit('/signup/confirm', { name, password, ...own });
    expect([done.status, done.headers.location]).toEqual([303, link]);
    expect(await businessesOf(email)).toMatchObject([{ role: 'owner' }]);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner' });
  });

  test('cannot join with an invitation to another address', async () => {
    const ada = await openOwner(platform);
    const { link } = await invite(platform, ada, newAddress('meant'), 'owner');
    const eve = newAddress('eve');
    const { browser, form } = await openForm(link, eve);
    expect(form.text).toContain('name="username"');
    expect(form.text).not.toContain('Analytical Engines');
    const refused = await browser.submit('/signup/confirm', { name, password });
    expect(refused.status).toBe(400);
    expect(await businessesOf(eve)).toEqual([]);
    expect((await teamOf(ada)).invitations).toHaveLength(1);
  });

  test('joins once, however often the form is sent at the same moment', async () => {
    const ada = await openOwner(platform);
    const email = newAddress('twice');
    const { browser } = await openForm((await invite(platform, ada, email)).link, email);
    const responses = await Promise.all(
      [1, 2, 3].map(() => browser.submit('/signup/confirm', { name, password })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 400, 400]);
    expect(await businessesOf(email)).toHaveLength(1);
    expect(await memberEvents(platform, ada)).toHaveLength(2);
  });
});

describe('a person who was invited', () => {
  test('with an account gets an email to log in, and returns to the invitation', async () => {
    const [ada, bob] = [await openOwner(platform), await openOwner(platform)];
    const { link } = await invite(platform, ada, bob.email);
    const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
    await browser.open(`/signup?continue=${encodeURIComponent(link)}`);
    await browser.submit('/signup', { email: bob.email });
    const mail = await awaitMail(platform.mailDirectory, bob.email, 3);
    expect(mail.link).toBe(`/login?continue=${encodeURIComponent(link)}`);
  });

  test('can change the account on the invitation page, through a logout and a login that lead back', async () => {
    const ada = await openOwner(platform);
    const { link } = await invite(platform, ada, newAddress('other'));
    await ada.browser.open('/account/sessions');
    const response = await ada.browser.submit('/logout', { continue: link });
    expect(response.headers.location).toBe(`/login?after=logged-out&continue=${encodeURIComponent(link)}`);
    await ada.browser.open('/login');
    await ada.browser.submit('/login', { email: ada.email, password: ada.password });
    await ada.browser.open('/account/sessions');
    const foreign = await ada.browser.submit('/logout', { continue: 'https://evil.example/' });
    expect(foreign.headers.location).toBe('/login?after=logged-out');
  });
});
