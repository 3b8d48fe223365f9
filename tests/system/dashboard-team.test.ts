import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Dashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { newAddress } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import {
  acceptInvitation,
  type DashboardPerson,
  invite,
  memberEvents,
  openColleague,
  openOwner,
  reasonOf,
  rolesOf,
  setRole,
  teamOf,
} from '../harness/team.ts';

/** Members of a business, their roles, and the end of membership. */

const platform = running(sharedPlatform);

const remove = ({ own }: Dashboard, { id }: { id: string }) => own('DELETE', `/team/members/${id}`, {});

describe('the team', () => {
  test('is listed for all its members, without private fields of the others', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'developer');
    const email = newAddress('cyd');
    const { id } = await invite(platform, ada, email);
    const response = await bob.own('GET', '/team');
    const moment = expect.stringMatching(/^20\d\d-.*Z$/);
    const common = { hasSecondFactor: false, joinedAt: moment, lastSeenAt: moment };
    expect(response.json()).toEqual({
      members: [
        {
          ...{ personId: ada.id, name: ada.name, email: ada.email, role: 'owner', isYou: false, ...common },
          hasSecondFactor: null,
        },
        { personId: bob.id, name: bob.name, email: bob.email, role: 'developer', isYou: true, ...common },
      ],
      invitations: [
        {
          id,
          email,
          role: 'developer',
          inviterName: ada.name,
          createdAt: moment,
          expiresAt: moment,
        },
      ],
    });
    expect(response.text).not.toMatch(/argon2|in_[0-9A-Za-z]{45}/);
  });

  test('shows when a person was last seen, even after the session has ended', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'developer');
    await ada.own('POST', '/team/invitations', { email: newAddress('dee'), role: 'developer' });
    await platform.sql('DELETE FROM sessions WHERE person_id = $1', [ada.id]);
    const seen = z.object({
      members: z.array(z.object({ personId: z.string(), lastSeenAt: z.string().nullable() })),
    });
    const { members } = seen.parse((await bob.own('GET', '/team')).json());
    expect(members.find(({ personId }) => personId === ada.id)?.lastSeenAt).not.toBeNull();
  });
});

describe('members, other than owners', () => {
  test('read the team, leave it, and change nothing', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'developer');
    const cyd = await openColleague(platform, ada, 'developer');
    const { id } = await invite(platform, ada, newAddress('open'));
    const responses = [
      await bob.own('POST', '/team/invitations', { email: newAddress('guest'), role: 'developer' }),
      await bob.own('DELETE', `/team/invitations/${id}`),
      await setRole(bob, bob, 'owner'),
      await setRole(bob, ada, 'developer'),
      await remove(bob, ada),
      await remove(bob, cyd),
    ];
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(403));
    expect((await remove(bob, bob)).status).toBe(200);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'owner', [cyd.id]: 'developer' });
    expect((await bob.own('GET', '/team')).status).toBe(404);
    expect((await memberEvents(platform, ada)).at(-1)).toMatchObject({
      action: 'member.removed',
      actor_id: bob.id,
      subject_id: bob.id,
      details: { email: bob.email, role: 'developer' },
    });
  });
});

describe('owners', () => {
  test('change roles, with effect on the next request on every replica', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'developer', 1);
    expect((await setRole(ada, bob, 'owner')).status).toBe(200);
    expect((await setRole(bob, ada, 'developer')).status).toBe(200);
    expect((await setRole(ada, bob, 'developer')).status).toBe(403);
    expect(await rolesOf(ada)).toEqual({ [ada.id]: 'developer', [bob.id]: 'owner' });
    const from = (role: string, to: string) => ({ role: { from: role, to } });
    expect(await memberEvents(platform, ada)).toMatchObject([
      { action: 'member.role_changed', subject_id: bob.id, details: from('developer', 'owner') },
      { action: 'member.role_changed', subject_id: ada.id, details: from('owner', 'developer') },
    ]);
  });

  test('give a role that a person already has without an event', async () => {
    const ada = await openOwner(platform);
    expect((await setRole(ada, ada, 'owner')).status).toBe(200);
    expect(await memberEvents(platform, ada)).toEqual([]);
  });

  test('remove members, who can still log in but have no access to the business', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'developer', 1);
    await platform.sql('DELETE FROM memberships WHERE person_id = $1 AND business_id = $2', [
      bob.id,
      bob.businessId,
    ]);
    expect((await remove(ada, bob)).status).toBe(200);
    expect((await bob.own('GET', '/team')).status).toBe(404);
    const session = await bob.call('GET', '/session');
    expect([session.status, session.json()]).toMatchObject([200, { businesses: [] }]);
  });

  test('cannot change people outside the team', async () => {
    const [ada, eve] = [await openOwner(platform), await openOwner(platform)];
    expect(reasonOf(await setRole(ada, eve, 'developer'))).toEqual([404, 'member_not_found']);
    expect(reasonOf(await remove(ada, eve))).toEqual([404, 'member_not_found']);
    const { id } = await invite(platform, eve, newAddress('hers'));
    expect((await ada.own('DELETE', `/team/invitations/${id}`)).status).toBe(404);
    expect((await teamOf(eve)).invitations).toHaveLength(1);
    const foreign = await ada.call('GET', `/businesses/${eve.businessId}/team`);
    expect(foreign.status).toBe(404);
  });

  test('who are the last one can neither leave nor step down', async () => {
    const ada = await openOwner(platform);
    await openColleague(platform, ada, 'developer');
    expect(reasonOf(await remove(ada, ada))).toEqual([409, 'last_owner']);
    expect(reasonOf(await setRole(ada, ada, 'developer'))).toEqual([409, 'last_owner']);
    expect((await rolesOf(ada))[ada.id]).toBe('owner');
  });

  test('who leave lose their open invitations, so that none leads back in', async () => {
    for (const go of [
      (ada: DashboardPerson, bob: DashboardPerson) => remove(ada, bob),
      (ada: DashboardPerson, bob: DashboardPerson) => setRole(ada, bob, 'developer'),
    ]) {
      const ada = await openOwner(platform);
      const bob = await openColleague(platform, ada, 'owner');
      const email = newAddress('second-mailbox');
      const { token } = await invite(platform, bob, email);
      const kept = await invite(platform, ada, newAddress('kept'));
      expect((await go(ada, bob)).status).toBe(200);
      expect((await teamOf(ada)).invitations).toMatchObject([{ id: kept.id }]);
      expect((await acceptInvitation(bob, token)).status).toBe(409);
      expect((await memberEvents(platform, ada)).at(-1)).toMatchObject({
        action: 'member.invitation_withdrawn',
        actor_id: ada.id,
        details: { email },
      });
    }
  });
});

describe('at the same moment', () => {
  /** Starts both while no change can be recorded, so that both have been let in as owners. */
  async function together<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
    const held = await holdTable(platform.databases.identity, 'audit_events', 'writes');
    const responses = Promise.all(work.map((start) => start()));
    try {
      await expectEventually(async () => expect(await held.waiting()).toBe(work.length), { withinMs: 5_000 });
    } finally {
      await held.release();
    }
    return responses;
  }

  test.each([1, 2, 3])('only one of two last owners can leave (%d)', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'owner', 1);
    const cyd = await openColleague(platform, ada, 'developer');
    const responses = await together([() => remove(ada, ada), () => remove(bob, bob)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(Object.values(await rolesOf(cyd)).sort()).toEqual(['developer', 'owner']);
  });

  test.each([1, 2, 3])('only one of two last owners can change the role of the other (%d)', async () => {
    const ada = await openOwner(platform);
    const bob = await openColleague(platform, ada, 'owner', 1);
    const responses = await together([
      () => setRole(ada, bob, 'developer'),
      () => setRole(bob, ada, 'developer'),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(Object.values(await rolesOf(ada)).sort()).toEqual(['developer', 'owner']);
  });
});
