import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { awaitMail, mailsTo, newAddress } from '../harness/people.ts';
import { openClient } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import {
  acceptInvitation,
  type DashboardPerson,
  invite,
  openColleague,
  openOwner,
  reasonOf,
  rolesOf,
  setRole,
} from '../harness/team.ts';

/*
 * Promise: a viewer reads what a developer reads and changes nothing; a change of a role holds from the next request on, on
 * every replica. `dashboard-sweep` tries every operation.
 */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
let bob: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
  bob = await openColleague(platform, ada, 'developer');
});

const reading = { ...restricted, scopes: ['orders:read'] };
const refusedAsViewer = [403, 'not_developer'];
const keysOf = ({ businessId }: DashboardPerson) =>
  platform.sql('SELECT id FROM api_keys WHERE business_id = $1 ORDER BY id', [businessId]);

describe('an invitation as viewer', () => {
  test('says so in its email, its page and the audit log, and makes a viewer', async () => {
    const eve = await openOwner(platform);
    const { token, link } = await invite(platform, ada, eve.email, 'viewer');
    const mail = mailsTo(platform.mailDirectory, eve.email).find((each) => each.link === link);
    expect(mail?.text).toContain('as a viewer.');
    const preview = await eve.call('POST', '/invitations/preview', { token });
    expect(preview.json()).toMatchObject({ role: 'viewer', isForYou: true });
    expect(link).toContain('/dashboard/join');
    expect((await acceptInvitation(eve, token)).status).toBe(200);
    expect((await rolesOf(ada))[eve.id]).toBe('viewer');
    const of = await openDashboard(ada, eve.browser);
    expect(reasonOf(await of.own('POST', '/api-keys', reading))).toEqual(refusedAsViewer);
    const events = z.object({ events: z.array(z.object({ words: z.string() })) });
    const { events: team } = events.parse((await of.own('GET', '/audit-events?action=member.*')).json());
    expect(team.map(({ words }) => words)).toEqual([
      'Accepted an invitation and joined as a viewer',
      `Invited ${eve.email} as a viewer`,
    ]);
  });

  test('is taken by a person who signs up with it', async () => {
    const email = newAddress('auditor');
    const { link } = await invite(platform, ada, email, 'viewer');
    const browser = createBrowser(platform.gatewayPorts[1] ?? 0);
    await browser.open(`/signup?continue=${encodeURIComponent(link)}`);
    const before = mailsTo(platform.mailDirectory, email).length;
    await browser.submit('/signup', { email });
    await browser.open((await awaitMail(platform.mailDirectory, email, before + 1)).link);
    expect(browser.page.response.text).toContain('as a viewer.');
    const account = { name: 'Mary Somerville', password: 'the mechanism of the heavens' };
    expect((await browser.submitAndFollow('/signup/confirm', account)).status).toBe(200);
    const { own } = await openDashboard(ada, browser);
    expect((await own('GET', '/api-keys')).status).toBe(200);
    expect(reasonOf(await own('POST', '/api-keys', reading))).toEqual(refusedAsViewer);
  });
});

describe('a change of the role', () => {
  test('holds for the next request of an open session, on every replica', async () => {
    const key = await makeKey(bob, reading);
    for (let round = 0; round < 3; round++) {
      // The gateways ask the two identity-services in turn.
      const lesser = { role: 'viewer', keep: [`api_key:${key.id}`] };
      expect((await ada.own('PATCH', `/team/members/${bob.id}`, lesser)).status).toBe(200);
      for (let request = 0; request < 4; request++) {
        expect(reasonOf(await bob.own('POST', '/api-keys', reading))).toEqual(refusedAsViewer);
        expect(reasonOf(await bob.own('DELETE', `/api-keys/${key.id}`))).toEqual(refusedAsViewer);
        expect((await bob.own('GET', `/api-keys/${key.id}`)).status).toBe(200);
      }
      expect((await setRole(ada, bob, 'developer')).status).toBe(200);
      for (let request = 0; request < 2; request++) {
        expect((await bob.own('PATCH', `/api-keys/${key.id}`, { name: `Till ${round}` })).status).toBe(200);
      }
    }
    expect(await keysOf(ada)).toEqual([{ id: key.id }]);
    expect((await platform.request(0, 'GET', '/v2/order', { key: key.keyString })).status).toBe(200);
  });

  test('is in the audit log under the name of the role', async () => {
    for (const role of ['viewer', 'developer', 'owner', 'viewer'] as const) await setRole(ada, bob, role);
    const page = z.object({ events: z.array(z.object({ words: z.string(), changes: z.unknown() })) });
    const { events } = page.parse((await ada.own('GET', '/audit-events?action=member.*')).json());
    const change = (from: string, to: string) => ({ field: 'role', label: 'Role', from, to });
    expect(events).toEqual([
      { words: `Made ${bob.name} a viewer`, changes: [change('owner', 'viewer')] },
      { words: `Made ${bob.name} an owner`, changes: [change('developer', 'owner')] },
      { words: `Made ${bob.name} a developer`, changes: [change('viewer', 'developer')] },
      { words: `Made ${bob.name} a viewer`, changes: [change('developer', 'viewer')] },
    ]);
  });

  test.each(['member', 'admin', '', null])('to %j is refused: there is no such role', async (role) => {
    expect((await ada.own('PATCH', `/team/members/${bob.id}`, { role })).status).toBe(400);
    const invitation = { email: newAddress('x'), role };
    expect((await ada.own('POST', '/team/invitations', invitation)).status).toBe(400);
    expect((await rolesOf(ada))[bob.id]).toBe('developer');
  });

  test('to viewer during the creation of a key prevents the key', async () => {
    const client = await openClient(platform.databases.identity);
    await client.query('BEGIN');
    await client.query("UPDATE memberships SET role = 'viewer' WHERE person_id = $1 AND business_id = $2", [
      bob.id,
      ada.businessId,
    ]);
    // Its role is read before the change is committed, and once more when the key is written.
    const creation = bob.own('POST', '/api-keys', reading);
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%memberships%FOR SHARE%'`;
    await expectEventually(async () => expect(await platform.sql(waiting)).toHaveLength(1), {
      withinMs: 15_000,
    });
    await client.query('COMMIT');
    await client.end();
    expect(reasonOf(await creation)).toEqual(refusedAsViewer);
    expect(await keysOf(ada)).toEqual([]);
  });

  test('of two owners who make each other viewers at once takes effect for one', async () => {
    const cyd = await openColleague(platform, ada, 'owner', 1);
    const responses = await Promise.all([setRole(ada, cyd, 'viewer'), setRole(cyd, ada, 'viewer')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    const { [bob.id]: _, ...roles } = await rolesOf(bob);
    expect(Object.values(roles).sort()).toEqual(['owner', 'viewer']);
  });
});

test('a viewer can leave the team, and keeps access to personal settings and other businesses', async () => {
  await setRole(ada, bob, 'viewer');
  const own = await openDashboard(bob, bob.browser);
  expect((await own.call('POST', `/businesses/${bob.businessId}/api-keys`, reading)).status).toBe(201);
  expect((await bob.call('POST', '/notices/read')).status).toBe(204);
  expect((await bob.call('GET', '/profile')).status).toBe(200);
  expect(reasonOf(await bob.own('DELETE', `/team/members/${ada.id}`, {}))).toEqual([403, 'not_owner']);
  expect((await bob.own('DELETE', `/team/members/${bob.id}`, {})).status).toBe(200);
  expect((await bob.own('GET', '/team')).status).toBe(404);
});
