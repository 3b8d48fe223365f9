import { beforeEach, describe, expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { noticeMails, noticesOf, noticeTitles, onlyNoticeMail, settledNotices } from '../harness/notices.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import {
  acceptInvitation,
  type DashboardPerson,
  invite,
  openColleague,
  openOwner,
  setRole,
} from '../harness/team.ts';

/*
 * Promise: a person whose role was changed or ended learns it, who did it and what it means; of an owner who is made or unmade
 * the owners learn it as well, once each.
 */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
let bob: DashboardPerson;
/** Another owner. */
let mary: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
  bob = await openColleague(platform, ada, 'developer');
  mary = await openColleague(platform, ada, 'owner');
});

const given = 'A person became an owner';
const taken = 'A person is no longer an owner';
const changed = 'Your role was changed';
const mailOf = (person: TestPerson, subject: string) => onlyNoticeMail(platform, person, subject);
const mailsOf = (person: TestPerson, subject: string) => noticeMails(platform, person, subject);

/** How many emails with some subjects each person has, once all are sent. */
async function counts(people: readonly TestPerson[], ...subjects: string[]) {
  for (const person of people) await settledNotices(platform, person);
  return people.map((person) => subjects.map((subject) => mailsOf(person, subject).length));
}

describe('a changed role', () => {
  test('sends a notice in the dashboard and by email to that person only', async () => {
    expect((await setRole(ada, bob, 'viewer')).status).toBe(200);
    const text = `Your role was changed by ${ada.name} from developer to viewer: a viewer sees everything except secrets, and can change nothing.`;
    const mail = await mailOf(bob, changed);
    expect(mail.text).toContain(text);
    expect(mail.text).toContain('Business: Analytical Engines');
    expect(mail.text).toContain(`${platform.publicUrl}/dashboard/${ada.businessId}/settings/business`);
    expect(mail.text).toContain('Choose which emails you get');
    const { notices } = await noticesOf(bob);
    expect(notices[0]).toMatchObject({ title: changed, text, businessId: String(ada.businessId) });
    await setRole(ada, bob, 'developer');
    await setRole(mary, bob, 'viewer');
    expect(await counts([ada, bob, mary], changed, taken)).toEqual([
      [0, 0],
      [3, 0],
      [0, 0],
    ]);
  });

  test('to owner also sends one notice to each owner, always with an email', async () => {
    for (const { call } of [ada, bob, mary]) {
      await call('PATCH', '/notices/topics', { emails: { team: 'off' } });
    }
    await setRole(ada, bob, 'owner');
    expect((await mailOf(bob, changed)).text).toContain(
      `by ${ada.name} from developer to owner: an owner can do everything`,
    );
    const { text } = await mailOf(mary, given);
    expect(text).toContain(`The role of ${bob.name} was changed by ${ada.name} from developer to owner: `);
    expect(text).not.toContain('Choose which emails you get');
    expect(await counts([ada, bob, mary], given, changed)).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  test('from owner also sends a notice to each owner, even if owners change their own role', async () => {
    await setRole(ada, mary, 'developer');
    expect((await mailOf(ada, taken)).text).toContain(
      `The role of ${mary.name} was changed by ${ada.name} from owner to developer: `,
    );
    await setRole(ada, bob, 'owner');
    await setRole(ada, ada, 'viewer');
    expect((await mailOf(bob, taken)).text).toContain(`The role of ${ada.name} was changed by ${ada.name}`);
    expect(await counts([ada, bob, mary], taken, changed)).toEqual([
      [1, 1],
      [1, 1],
      [0, 1],
    ]);
  });

  test('quotes names without anything that becomes a link', async () => {
    const name = 'Eve http://evil.example/now';
    const eve = await signUp(platform, { name });
    const cyd = await openColleague(platform, eve, 'developer');
    const of = await openDashboard(eve, eve.browser);
    await setRole(of, cyd, 'viewer');
    const { text } = await mailOf(cyd, changed);
    expect(text).toContain('changed by Eve http evil example now from');
    expect(text).not.toContain('evil.example');
  });
});

describe('a member who', () => {
  test('is removed gets an email that names the business, and no later notices of it', async () => {
    await mary.call('POST', '/notices/read');
    expect((await ada.own('DELETE', `/team/members/${bob.id}`, {})).status).toBe(200);
    const { text } = await mailOf(bob, 'You were removed from a business');
    expect(text).toContain(
      `You were removed from a business by ${ada.name}: you no longer have access to it`,
    );
    expect(text).toContain('Business: Analytical Engines');
    expect(text).not.toContain(`/dashboard/${ada.businessId}`);
    await ada.own('PUT', '/freeze', { reason: '' });
    await mailOf(mary, 'API access was frozen');
    expect(await noticeTitles(bob)).toEqual(['You were removed from a business']);
    expect(await counts([bob, ada], 'API access was frozen', 'An owner was removed')).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  test('leaves gets no notice of it, but the owners do', async () => {
    expect((await bob.own('DELETE', `/team/members/${bob.id}`, {})).status).toBe(200);
    expect((await mailOf(ada, 'A person left the team')).text).toContain(`${bob.name} left the team`);
    expect([await noticeTitles(bob), await noticeTitles(ada)]).toEqual([[], ['A person left the team']]);
  });

  test('was an owner and is removed or leaves causes a notice to the other owners', async () => {
    const cyd = await openColleague(platform, ada, 'owner');
    expect((await ada.own('DELETE', `/team/members/${mary.id}`, {})).status).toBe(200);
    await mailOf(mary, 'You were removed from a business');
    expect((await mailOf(cyd, 'An owner was removed')).text).toContain(
      `${mary.name}, until now an owner, was removed from the team by ${ada.name}`,
    );
    expect((await cyd.own('DELETE', `/team/members/${cyd.id}`, {})).status).toBe(200);
    expect((await mailOf(ada, 'An owner left')).text).toContain(
      `${cyd.name}, until now an owner, left the team`,
    );
    expect(await counts([ada, mary, cyd], 'An owner was removed', 'An owner left')).toEqual([
      [1, 1],
      [0, 0],
      [1, 0],
    ]);
  });

  test('joins causes a notice to the other owners as an owner, and none as a developer', async () => {
    const join = async (role: 'owner' | 'developer') => {
      const person = await openOwner(platform);
      const { token } = await invite(platform, ada, person.email, role);
      expect((await acceptInvitation(person, token)).status).toBe(200);
      return person;
    };
    const cyd = await join('owner');
    expect((await mailOf(mary, given)).text).toContain(
      `${cyd.name} accepted an invitation and joined as an owner`,
    );
    await join('developer');
    expect(await counts([ada, mary, cyd], given)).toEqual([[1], [1], [0]]);
  });
});
