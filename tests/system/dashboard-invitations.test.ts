import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { awaitMail, mailsTo, newAddress, signUp } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import {
  acceptInvitation,
  invite,
  memberEvents,
  openColleague,
  openOwner,
  reasonOf,
  rolesOf,
  teamOf,
} from '../harness/team.ts';

/** Invitations to a team: for one address, once, for a week. */

const platform = running(sharedPlatform);

describe('an invitation', () => {
  test('leads by its mailed link into the team, once, with the role that it names', async () => {
    const ada = await openOwner(platform);
    const bob = await openOwner(platform);
    const { link, token } = await invite(platform, ada, bob.email, 'owner');
    expect(link).toMatch(/^\/dashboard\/join\?token=in_[0-9A-Za-z]{45}$/);
    const preview = await bob.call('POST', '/invitations/preview', { token });
    expect(preview.json()).toEqual({
      businessName: 'Analytical Engines',
      inviterName: ada.name,
      role: 'owner',
      expiresAt: expect.any(String),
      isForYou: true,
    });
    const accepted = await acceptInvitation(bob, token);
    expect([accepted.status, accepted.json()]).toEqual([200, { businessId: String(ada.businessId) }]);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner', [bob.id]: 'owner' });
    expect((await teamOf(ada)).invitations).toEqual([]);
    expect((await bob.call('GET', `/businesses/${ada.businessId}/team`)).status).toBe(200);
    expect(reasonOf(await acceptInvitation(bob, token))).toEqual([409, 'invitation_over']);
    const email = bob.email;
    expect(await memberEvents(platform, ada)).toMatchObject([
      { action: 'member.invited', actor_id: ada.id, details: { email, role: 'owner' } },
      {
        action: 'member.joined',
        actor_id: bob.id,
        subject_id: bob.id,
        details: { email, role: 'owner', invitedBy: ada.id },
      },
    ]);
  });

  test('is stored only as a hash', async () => {
    const ada = await openOwner(platform);
    const { token } = await invite(platform, ada, newAddress('hash'));
    const rows = await platform.sql(
      'SELECT *, extract(epoch FROM expires_at - created_at)::int / 86400 AS days FROM invitations WHERE business_id = $1',
      [ada.businessId],
    );
    expect(rows).toMatchObject([{ days: 7 }]);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('is for the invited address alone, which the others do not learn', async () => {
    const ada = await openOwner(platform);
    const eve = await openOwner(platform);
    const email = newAddress('person');
    const { token } = await invite(platform, ada, email);
    const preview = await eve.call('POST', '/invitations/preview', { token });
    expect(preview.json()).toMatchObject({ isForYou: false });
    const refused = await acceptInvitation(eve, token);
    expect(reasonOf(refused)).toEqual([403, 'invitation_of_another']);
    expect(preview.text + refused.text).not.toContain(email);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner' });
  });

  test('that was withdrawn, replaced or has expired is refused with the same response', async () => {
    const ada = await openOwner(platform);
    const bob = await openOwner(platform);
    const first = await invite(platform, ada, bob.email);
    // Another way to write the same address.
    const typed = { email: ` ${bob.email.toUpperCase()} `, role: 'owner' };
    const again = await ada.own('POST', '/team/invitations', typed);
    const second = z.object({ id: z.string() }).parse(again.json());
    const { link } = await awaitMail(platform.mailDirectory, bob.email, 3);
    expect((await teamOf(ada)).invitations).toMatchObject([{ id: second.id, role: 'owner' }]);
    const replaced = await acceptInvitation(bob, first.token);
    expect((await ada.own('DELETE', `/team/invitations/${second.id}`)).status).toBe(204);
    const withdrawn = await acceptInvitation(bob, link.split('token=')[1] ?? '');
    const third = await invite(platform, ada, bob.email);
    await platform.sql("UPDATE invitations SET expires_at = now() - interval '5 minutes' WHERE id = $1", [
      third.id,
    ]);
    const expired = await acceptInvitation(bob, third.token);
    const unknown = await acceptInvitation(bob, `in_${'a'.repeat(39)}`);
    const previewed = await bob.call('POST', '/invitations/preview', { token: third.token });
    for (const response of [replaced, withdrawn, expired, unknown, previewed]) {
      expect([response.status, response.json()]).toEqual([409, unknown.json()]);
    }
    expect((await teamOf(ada)).invitations).toEqual([]);
  });

  test('is the same for addresses with and without an account', async () => {
    const [ada, bob] = [await openOwner(platform), await openOwner(platform)];
    const before = mailsTo(platform.mailDirectory, bob.email).length;
    const sent = async (email: string, mails: number) => {
      const response = await ada.own('POST', '/team/invitations', { email, role: 'developer' });
      const { subject, text } = await awaitMail(platform.mailDirectory, email, mails);
      const plain = response.text.replaceAll(/inv_[0-9a-f]+|20\d\d-[^"]+/g, '').replaceAll(email, '');
      return [response.status, plain, subject, text.replaceAll(/in_\w+/g, '')];
    };
    const known = await sent(bob.email, before + 1);
    expect(await sent(newAddress('unknown'), 1)).toEqual(known);
  });

  test('of a person who is already in the team is refused at the field', async () => {
    const ada = await openOwner(platform);
    const response = await ada.own('POST', '/team/invitations', { email: ada.email, role: 'developer' });
    expect([response.status, response.json()]).toMatchObject([
      400,
      { reason: 'already_member', fields: { email: expect.stringMatching(/already a member/) } },
    ]);
  });

  test.each([
    [{ email: 'nowhere', role: 'developer' }, 'email'],
    [{ email: 'a@b.test', role: 'admin' }, 'role'],
  ])('of %j is refused, and %s is named', async (body, field) => {
    const ada = await openOwner(platform);
    const response = await ada.own('POST', '/team/invitations', body);
    expect([response.status, response.json()]).toMatchObject([
      400,
      { fields: { [field]: expect.any(String) } },
    ]);
  });

  test('quotes names in its email so that nothing in them becomes a link', async () => {
    const person = await signUp(platform, {
      name: 'Win at http://evil.example/now',
      businessName: 'www.evil.example',
    });
    const ada = { ...person, ...(await openDashboard(person, person.browser)) };
    const email = newAddress('quoted');
    await invite(platform, ada, email);
    const { text, subject } = await awaitMail(platform.mailDirectory, email);
    expect(text.match(/https?:\/\/\S+/g)).toHaveLength(1);
    expect(text + subject).not.toContain('evil.example');
    expect(text).toMatch(/sign up with this email\s+address/);
  });

  test('is refused with 503 while business-service is down, without an email', async () => {
    const ada = await openOwner(platform);
    const email = newAddress('lost');
    const [business] = platform.businesses;
    await business?.stop();
    try {
      const body = { email, role: 'developer' };
      const response = await ada.own('POST', '/team/invitations', body);
      expect(response.status).toBe(503);
    } finally {
      await business?.start();
      await untilBusinessIsBack(platform);
    }
    expect(mailsTo(platform.mailDirectory, email)).toEqual([]);
    expect((await teamOf(ada)).invitations).toEqual([]);
  });

  test('is possible for up to a hundred people including members', async () => {
    const ada = await openOwner(platform);
    await platform.sql(
      `INSERT INTO invitations (id, token_hash, business_id, email, role, invited_by, expires_at)
       SELECT 'inv_' || $1 || '_' || n, decode(md5($1 || ':' || n), 'hex'), $1::bigint, n || '@crowd.test', 'developer', $2,
              now() + interval '1 day' FROM generate_series(1, 99) AS n`,
      [String(ada.businessId), ada.id],
    );
    const full = await ada.own('POST', '/team/invitations', { email: newAddress('late'), role: 'developer' });
    expect(reasonOf(full)).toEqual([409, 'team_full']);
    const again = await ada.own('POST', '/team/invitations', { email: '1@crowd.test', role: 'developer' });
    expect(again.status).toBe(201);
  });

  test('accepted ten times at once is one membership', async () => {
    const ada = await openOwner(platform);
    const bob = await openOwner(platform);
    const { token } = await invite(platform, ada, bob.email);
    const responses = await Promise.all(Array.from({ length: 10 }, () => acceptInvitation(bob, token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await memberEvents(platform, ada)).toHaveLength(2);
  });

  test('to the new address of a member does not change the membership, and says so', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'viewer');
    const moved = newAddress('moved');
    const { token } = await invite(platform, ada, moved, 'owner');
    await platform.sql('UPDATE people SET email = $2 WHERE id = $1', [bob.id, moved]);
    expect(reasonOf(await acceptInvitation(bob, token))).toEqual([409, 'already_member']);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner', [bob.id]: 'viewer' });
    expect(await memberEvents(platform, ada)).toMatchObject([{ action: 'member.invited' }]);
  });
});
