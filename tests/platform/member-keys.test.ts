import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { makeKey, restricted, withString } from '../harness/made-key.ts';
import { optionsOf, signUpWithPasskey } from '../harness/passkeys.ts';
import { logIn } from '../harness/people.ts';
import { openClient } from '../harness/postgres.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openColleague, openOwner } from '../harness/team.ts';

/*
 * Promise: a member who is no owner gets no key beyond what the owners chose, whichever replica is asked, and each key says
 * who made it and who has seen its string.
 */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
let bob: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
  bob = await openColleague(platform, ada, 'developer');
  await Promise.all([ada.confirm(), bob.confirm()]);
});

const reading = { ...restricted, scopes: ['orders:read'] };
const writing = { ...restricted, scopes: ['orders:read', 'orders:write'] };
const secret = { name: 'Backend', keyType: 'secret' };
const change = async (body: object, by = ada) => (await by.own('PATCH', '/member-key-rules', body)).status;
const rules = async () => (await bob.own('GET', '/member-key-rules')).json();
/** Status and reason of a response that is refused; of one that is not, its status. */
const outcomeOf = async (sent: ReturnType<DashboardPerson['own']>) => {
  const response = await sent;
  return response.status < 400 ? response.status : `${response.status} ${refusalOf(response).reason}`;
};
const create = (person: DashboardPerson, body: object) => outcomeOf(person.own('POST', '/api-keys', body));
const countKeys = async () =>
  (await platform.sql('SELECT 1 FROM api_keys WHERE business_id = $1', [ada.businessId])).length;

describe('until an owner chooses', () => {
  test('developers create restricted keys that read, and no others; owners create any', async () => {
    expect(await rules()).toEqual({
      secretKeys: false,
      scopes: ['business:read', 'events:read', 'orders:read'],
    });
    expect(await create(bob, reading)).toBe(201);
    const before = await countKeys();
    expect(await create(bob, secret)).toBe('403 secret_keys_not_allowed');
    expect(await create(bob, writing)).toBe('403 scopes_beyond_members');
    expect(await countKeys()).toBe(before);
    expect([await create(ada, secret), await create(ada, writing)]).toEqual([201, 201]);
  });

  test('members cannot rotate or widen other keys, but may narrow, rename and delete them', async () => {
    const [wide, full] = [await makeKey(ada, writing), await makeKey(ada, secret)];
    const own = await makeKey(bob, reading);
    expect(await outcomeOf(bob.own('POST', `/api-keys/${full.id}/rotate`))).toBe(
      '403 secret_keys_not_allowed',
    );
    expect(await outcomeOf(bob.own('POST', `/api-keys/${wide.id}/rotate`))).toBe('403 scopes_beyond_members');
    expect(await outcomeOf(bob.own('POST', `/api-keys/${own.id}/rotate`))).toBe(200);
    const scopes = (...chosen: string[]) => ({ scopes: chosen });
    const patch = (id: string, body: object) => outcomeOf(bob.own('PATCH', `/api-keys/${id}`, body));
    expect(await patch(own.id, scopes('orders:read', 'orders:write'))).toBe('403 scopes_beyond_members');
    expect(await patch(wide.id, scopes('orders:write', 'events:read'))).toBe(200);
    expect(await patch(wide.id, { name: 'Till', ...scopes('orders:write') })).toBe(200);
    expect(await patch(wide.id, scopes('orders:write', 'orders:read', 'business:read'))).toBe(200);
    expect(await patch(full.id, { name: 'Server' })).toBe(200);
    expect((await platform.request(0, 'GET', '/v2/order', { key: full.keyString })).status).toBe(200);
    expect(await outcomeOf(bob.own('DELETE', `/api-keys/${full.id}`))).toBe(200);
  });
});

describe('owners choose the rules for keys of members', () => {
  test('with effect on the next request on every replica', async () => {
    const reads = ['business:read', 'events:read'];
    expect(await change({ addedScopes: ['orders:write'], removedScopes: reads })).toBe(200);
    expect(await create(bob, writing)).toBe(201);
    expect(await create(bob, { ...restricted, scopes: ['business:read'] })).toBe('403 scopes_beyond_members');
    expect(await change({ removedScopes: ['orders:read', 'orders:write'] })).toBe(200);
    expect(await create(bob, reading)).toBe('403 scopes_beyond_members');
    expect(await change({ secretKeys: true })).toBe(200);
    expect([await create(bob, secret), await create(bob, writing)]).toEqual([201, 201]);
    expect(await rules()).toEqual({ secretKeys: true, scopes: [] });
    const events = await eventsOf(platform, String(ada.businessId));
    const chosen = events.filter(({ action }) => action === 'business.member_keys_set');
    expect(chosen.map(({ actor_id }) => actor_id)).toEqual([ada.id, ada.id, ada.id]);
  });

  test('at the same time, and each keeps the changes of the others', async () => {
    const cyd = await openColleague(platform, ada, 'owner');
    const all = [
      change({ addedScopes: ['orders:write'] }),
      change({ removedScopes: ['events:read'] }, cyd),
      change({ removedScopes: ['business:read'] }),
      change({ secretKeys: true }, cyd),
    ];
    expect(await Promise.all(all)).toEqual([200, 200, 200, 200]);
    expect(await rules()).toEqual({ secretKeys: true, scopes: ['orders:read', 'orders:write'] });
  });

  test('but members cannot, and unknown scopes are refused', async () => {
    expect(await change({ secretKeys: true }, bob)).toBe(403);
    expect(await change({ addedScopes: ['orders:sell'] })).toBe(400);
    expect(await change({ secretKeys: 'yes' })).toBe(400);
    expect(await create(bob, secret)).toBe('403 secret_keys_not_allowed');
  });

  test('without an event if nothing changes', async () => {
    const choice = { secretKeys: true, addedScopes: ['orders:read', 'orders:read'] };
    expect([await change(choice), await change(choice), await change({})]).toEqual([200, 200, 200]);
    const events = await eventsOf(platform, String(ada.businessId));
    expect(events.filter(({ action }) => action === 'business.member_keys_set')).toHaveLength(1);
  });
});

test('an owner who becomes a developer during the creation of a secret key gets no key', async () => {
  const cyd = await openColleague(platform, ada, 'owner');
  await cyd.confirm();
  const before = await countKeys();
  const client = await openClient(platform.databases.identity);
  await client.query('BEGIN');
  await client.query("UPDATE memberships SET role = 'developer' WHERE person_id = $1 AND business_id = $2", [
    cyd.id,
    ada.businessId,
  ]);
  // Its role is read before the change is committed, and once more when the key is written.
  const creation = create(cyd, secret);
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%memberships%FOR SHARE%'`;
  await expectEventually(async () => expect(await platform.sql(waiting)).toHaveLength(1), {
    withinMs: 15_000,
  });
  await client.query('COMMIT');
  await client.end();
  expect(await creation).toBe('403 secret_keys_not_allowed');
  expect(await countKeys()).toBe(before);
});

describe('a key shows', () => {
  const person = z.object({ personId: z.string(), name: z.string(), isMember: z.boolean() }).nullable();
  const keyShape = z.object({ createdBy: person, secretSeenBy: person });
  const peopleOf = async (id: string) => {
    const { createdBy, secretSeenBy } = keyShape.parse((await ada.own('GET', `/api-keys/${id}`)).json());
    return [createdBy?.personId, secretSeenBy?.personId, secretSeenBy?.isMember];
  };

  test('who created it and who has seen its current string, even after that person has left', async () => {
    const key = await makeKey(bob, reading);
    expect(await peopleOf(key.id)).toEqual([bob.id, bob.id, true]);
    const list = z.object({ apiKeys: z.array(keyShape) }).parse((await bob.own('GET', '/api-keys')).json());
    expect(list.apiKeys[0]?.createdBy).toEqual({ personId: bob.id, name: bob.name, isMember: true });
    expect((await ada.own('DELETE', `/team/members/${bob.id}`, { keep: [`api_key:${key.id}`] })).status).toBe(
      200,
    );
    expect(await peopleOf(key.id)).toEqual([bob.id, bob.id, false]);
    const rotated = await ada.own('POST', `/api-keys/${key.id}/rotate`);
    expect(withString.parse(rotated.json()).keyString).not.toBe(key.keyString);
    expect(await peopleOf(key.id)).toEqual([bob.id, ada.id, true]);
  });

  test('no person if an operator created or rotated it', async () => {
    const made = await platform.createKey({ businessId: ada.businessId });
    expect(await peopleOf(made.id)).toEqual([undefined, undefined, undefined]);
    const key = await makeKey(bob, reading);
    await platform.rotateKey({ ...key, businessId: ada.businessId });
    expect(await peopleOf(key.id)).toEqual([bob.id, undefined, undefined]);
  });
});

describe('a secret key', () => {
  const required = '403 confirmation_required';
  const age = (minutes: number, { id }: Pick<DashboardPerson, 'id'>) =>
    platform.sql(
      'UPDATE sessions SET confirmed_at = confirmed_at - make_interval(mins => $1) WHERE person_id = $2',
      [minutes, id],
    );

  test('is created and rotated for ten minutes after the password in this session, and a restricted one at any time', async () => {
    const key = await makeKey(ada, secret);
    const rotate = () => outcomeOf(ada.own('POST', `/api-keys/${key.id}/rotate`));
    expect([await create(ada, secret), await rotate()]).toEqual([201, 200]);
    await age(9, ada);
    expect([await create(ada, secret), await rotate()]).toEqual([201, 200]);
    await age(1, ada);
    expect([await create(ada, secret), await rotate(), await create(ada, writing)]).toEqual([
      required,
      required,
      201,
    ]);
    expect((await ada.call('POST', '/profile/confirmation', { password: 'not hers' })).status).toBe(400);
    expect((await ada.call('POST', '/profile/confirmation', {})).status).toBe(400);
    expect(await create(ada, secret)).toBe(required);
    await ada.confirm();
    expect([await create(ada, secret), await rotate()]).toEqual([201, 200]);
    const phone = await openDashboard(ada, await logIn(platform, ada));
    expect(await outcomeOf(phone.own('POST', '/api-keys', secret))).toBe(required);
  });

  test('can also be created after a passkey, whose challenge works once', async () => {
    const grace = await signUpWithPasskey(platform);
    const make = () => outcomeOf(grace.dashboard.own('POST', '/api-keys', secret));
    expect(await make()).toBe(required);
    const passkey = grace.device.get(
      optionsOf(await grace.dashboard.call('POST', '/profile/passkeys/confirmation')),
    );
    const confirm = async () =>
      (await grace.dashboard.call('POST', '/profile/confirmation', { passkey })).status;
    expect([await confirm(), await make(), await confirm()]).toEqual([204, 201, 400]);
  });
});
