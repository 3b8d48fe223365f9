import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { actionsOf } from '../harness/audit-events.ts';
import type { Dashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdLocks } from '../harness/hold-table.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { refusalOf } from '../harness/refusals.ts';
import { newOwner, register } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { type DashboardPerson, openColleague, setRole } from '../harness/team.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';
import { makeOrder, ordersOf } from '../harness/webhooks.ts';

/*
 * Promise: who is removed from a team, or gets a lesser role, leaves nothing behind that works, but for what an owner keeps. An
 * endpoint is sent what its maker may read, by the rules of the moment.
 */

const platform = running(() => startPlatform({ webhooks: 1 }));
const receiver = running(startWebhookReceiver);

let ada: Awaited<ReturnType<typeof newOwner>>;
let bob: DashboardPerson;
beforeEach(async () => {
  receiver.respond(() => 204);
  ada = await newOwner(platform);
  bob = await openColleague(platform, ada.person, 'developer', 0);
});

const leftoverShape = z.object({
  leftovers: z.array(
    z.looseObject({ id: z.string(), kind: z.string(), label: z.string(), others: z.number() }),
  ),
  endpointsKnown: z.boolean(),
});
const leftovers = async (role = '') =>
  leftoverShape.parse((await ada.dashboard.own('GET', `/team/members/${bob.id}/leftovers${role}`)).json());
const remove = async (keep: readonly string[] = []) =>
  (await ada.dashboard.own('DELETE', `/team/members/${bob.id}`, { keep })).json();
const whole = { propagation: 'confirmed', endpointsEnded: true };
const use = async (key: string) => (await platform.request(0, 'GET', '/v2/order', { key })).status;
const reading = { ...restricted, scopes: ['orders:read'] };

const endpointShape = z.object({
  endpoint: z.looseObject({ id: z.string(), withheld: z.array(z.string()) }),
});
const endpointPath = (id: string) => `/webhook-endpoints/${id}`;
async function addEndpoint(by: Dashboard, body: object = {}): Promise<string> {
  const response = await by.own('POST', '/webhook-endpoints', { url: receiver.url, ...body });
  expect([response.status, response.text]).toEqual([201, response.text]);
  return endpointShape.parse(response.json()).endpoint.id;
}
const endpointOf = async (id: string) =>
  endpointShape.shape.endpoint.parse((await ada.dashboard.own('GET', endpointPath(id))).json());

const rotated = z.object({ clientSecret: z.string() });
const appShape = z.looseObject({
  redirectUris: z.array(z.string()),
  ipWhitelist: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  secrets: z.array(z.looseObject({ id: z.string() })),
});
const bobsUri = 'https://bob.example/callback';
const bobsAddress = '203.0.113.7';
const bobsOrigin = 'https://bob.example';

/** An app of the owner to which the developer adds a client secret, a redirect URI, an address and an origin. */
async function shareApp() {
  const app = await register(ada.dashboard, ada.person);
  const path = `/applications/${app.id}`;
  const { redirectUris, ipWhitelist, allowedOrigins } = appShape.parse((await bob.own('GET', path)).json());
  const secret = await bob.own('POST', `${path}/client-secrets`, { keepOld: true });
  const added = {
    redirectUris: [...redirectUris, bobsUri],
    ipWhitelist: [...ipWhitelist, bobsAddress],
    allowedOrigins: [...allowedOrigins, bobsOrigin],
  };
  expect((await bob.own('PATCH', path, added)).status).toBe(200);
  const bobs = { ...app, clientSecret: rotated.parse(secret.json()).clientSecret };
  return { app, bobs, path, before: { redirectUris, ipWhitelist, allowedOrigins } };
}
const appOf = async (path: string) => appShape.parse((await ada.dashboard.own('GET', path)).json());

describe('removing a member', () => {
  test('lists and ends each key, client secret, redirect URI, address, origin and endpoint of the person, and nothing of others', async () => {
    const { app, bobs, path, before } = await shareApp();
    const tokens = await connect(platform, ada.person.browser, bobs);
    const [bobsKey, adasKey] = [await makeKey(bob, reading), await makeKey(ada.dashboard, reading)];
    const [bobsEndpoint, adasEndpoint] = [await addEndpoint(bob), await addEndpoint(ada.dashboard)];
    const listed = await leftovers();
    expect(listed.endpointsKnown).toBe(true);
    expect(listed.leftovers.map(({ kind, label, others }) => [kind, label, others])).toEqual([
      ['api_key', `${reading.name} (…${bobsKey.lastFour})`, 0],
      ['allowed_origin', bobsOrigin, 0],
      ['client_secret', `…${bobs.clientSecret.slice(-4)}`, 1],
      ['ip_address', bobsAddress, before.ipWhitelist.length],
      ['redirect_uri', bobsUri, before.redirectUris.length],
      ['webhook_endpoint', receiver.url, 0],
    ]);
    expect([await use(bobsKey.keyString), await use(tokens.accessToken)]).toEqual([200, 200]);
    expect(await remove()).toEqual(whole);
    expect([await use(bobsKey.keyString), await use(tokens.accessToken)]).toEqual([401, 401]);
    expect(await use(adasKey.keyString)).toBe(200);
    expect(await appOf(path)).toMatchObject({ ...before, secrets: [{ id: app.application.secrets[0]?.id }] });
    expect((await oauthClient(platform, bobs).refresh(tokens.refreshToken)).body.error).toBe(
      'invalid_client',
    );
    expect((await oauthClient(platform, app).refresh(tokens.refreshToken)).status).toBe(200);
    expect((await ada.dashboard.own('GET', endpointPath(bobsEndpoint))).status).toBe(404);
    expect((await endpointOf(adasEndpoint)).id).toBe(adasEndpoint);
    expect((await ada.dashboard.own('GET', `/team/members/${bob.id}/leftovers`)).status).toBe(404);
    const old = await platform.sql(
      'SELECT credential_type, reason FROM retired_strings WHERE business_id = $1 ORDER BY credential_type',
      [ada.person.businessId],
    );
    expect(old).toEqual([
      { credential_type: 'access_token', reason: 'revoked' },
      { credential_type: 'restricted_key', reason: 'rotated' },
    ]);
    const acts = await platform.sql(
      `SELECT action FROM audit_events WHERE business_id = $1 AND actor_id = $2 AND id >=
        (SELECT id FROM audit_events WHERE business_id = $1 AND action = 'member.removed') ORDER BY id`,
      [ada.person.businessId, ada.person.id],
    );
    expect(acts.map(({ action }) => action)).toEqual([
      'member.removed',
      'api_key.rotated',
      'application.secret_deleted',
      'application.updated',
      'webhook_endpoint.deleted',
    ]);
  });

  test('keeps what the owner selects, and ends what was created after the list was read', async () => {
    const { path } = await shareApp();
    const [key, endpoint] = [await makeKey(bob, reading), await addEndpoint(bob)];
    const keep = (await leftovers()).leftovers.map(({ id }) => id);
    const late = await makeKey(bob, { ...reading, name: 'Late' });
    expect(await remove(keep)).toEqual(whole);
    expect([await use(key.keyString), await use(late.keyString)]).toEqual([200, 401]);
    expect((await appOf(path)).secrets).toHaveLength(2);
    expect(await endpointOf(endpoint)).toMatchObject({ maker: { personId: ada.person.id }, withheld: [] });
  });

  test('ends the last entries of an app, which is refused until an owner adds others', async () => {
    const app = await register(bob, ada.person);
    const path = `/applications/${app.id}`;
    expect((await leftovers()).leftovers.map(({ others }) => others)).toEqual([0, 0, 0, 0]);
    expect(await remove()).toEqual(whole);
    expect(await appOf(path)).toMatchObject({ redirectUris: [], ipWhitelist: [], secrets: [] });
    const entries = { redirectUris: ['https://ada.example/callback'], ipWhitelist: ['127.0.0.1'] };
    expect((await ada.dashboard.own('PATCH', path, entries)).status).toBe(200);
    expect((await ada.dashboard.own('PATCH', path, { redirectUris: [] })).status).toBe(400);
  });

  test('ends two thousand keys that a thief has made', async () => {
    const { identity } = platform.databases;
    await query(
      identity,
      `INSERT INTO api_keys (id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit, secret_seen_by)
       SELECT 'key_' || substr(md5($2 || i), 1, 24), $1, 'Key ' || i, '', 'restricted', '{orders:read}', decode(md5($2 || i), 'hex'), 'abcd', 10, $2
       FROM generate_series(1, 2000) AS i`,
      [ada.person.businessId, bob.id],
    );
    expect((await leftovers()).leftovers).toHaveLength(2000);
    expect(await remove()).toEqual(whole);
    const left =
      'SELECT 1 FROM api_keys WHERE secret_seen_by = $1 OR length(secret_hash) <> 32 AND business_id = $2';
    expect(await query(identity, left, [bob.id, ada.person.businessId])).toEqual([]);
    const acts = "SELECT 1 FROM audit_events WHERE business_id = $1 AND action = 'api_key.rotated'";
    expect(await query(identity, acts, [ada.person.businessId])).toHaveLength(2000);
  });

  test('locks all apps before any Grant, so that it cannot deadlock with reports of usage', async () => {
    const { identity } = platform.databases;
    const apps = [
      await register(bob, ada.person, { name: 'One' }),
      await register(bob, ada.person, { name: 'Two' }),
    ];
    const tokens = [];
    for (const app of apps) tokens.push(await connect(platform, ada.person.browser, app));
    const ids = apps.map(({ id }) => id).sort();
    const last = 'SELECT 1 FROM applications WHERE id = $1 FOR UPDATE';
    const held = await holdLocks(identity, last, ids.slice(1));
    const removal = remove();
    try {
      await held.untilWaiting(1);
      for (const { accessToken } of tokens) expect(await use(accessToken)).toBe(200);
      const noted = 'SELECT 1 FROM grants WHERE application_id = ANY($1) AND last_used_at IS NOT NULL';
      await expectEventually(async () => expect(await query(identity, noted, [ids])).toHaveLength(2), {
        withinMs: 5_000,
      });
    } finally {
      await held.release();
    }
    expect(await removal).toEqual(whole);
  });

  test('reports that endpoints have not ended while webhook-service does not respond, and ends all else', async () => {
    const [key, endpoint] = [await makeKey(bob, reading), await addEndpoint(bob)];
    for (const service of platform.webhooks) await service.stop();
    try {
      expect((await leftovers()).endpointsKnown).toBe(false);
      expect(await remove()).toEqual({ ...whole, endpointsEnded: false });
      expect(await use(key.keyString)).toBe(401);
    } finally {
      for (const service of platform.webhooks) await service.start();
    }
    await expectEventually(
      async () => expect(await endpointOf(endpoint)).toMatchObject({ maker: { isMember: false } }),
      { withinMs: 30_000 },
    );
  });

  test('ends nothing if the member leaves instead', async () => {
    const [key, endpoint] = [await makeKey(bob, reading), await addEndpoint(bob)];
    expect((await bob.own('DELETE', `/team/members/${bob.id}`, {})).json()).toEqual(whole);
    expect(await use(key.keyString)).toBe(200);
    expect((await leftovers()).leftovers.map(({ id }) => id)).toEqual([
      `api_key:${key.id}`,
      `webhook_endpoint:${endpoint}`,
    ]);
  });
});

test('a new viewer loses everything, and an owner who becomes a developer loses what developers may not have', async () => {
  await setRole(ada.dashboard, bob, 'owner');
  const wide = await makeKey(bob, { ...restricted, name: 'Wide', scopes: ['orders:read', 'orders:write'] });
  const narrow = await makeKey(bob, reading);
  expect((await leftovers('?role=developer')).leftovers.map(({ id }) => id)).toEqual([`api_key:${wide.id}`]);
  await setRole(ada.dashboard, bob, 'developer');
  expect([await use(wide.keyString), await use(narrow.keyString)]).toEqual([401, 200]);
  await setRole(ada.dashboard, bob, 'viewer');
  expect(await use(narrow.keyString)).toBe(401);
});

describe('an endpoint', () => {
  const rules = (change: object) => ada.dashboard.own('PATCH', '/member-key-rules', change);
  const beyond = [403, 'events_beyond_members'];
  const refused = async (sent: ReturnType<Dashboard['own']>) => {
    const { code, reason } = refusalOf(await sent);
    return [code, reason];
  };

  test('of a developer has no events beyond the rules, neither when it is added nor when it is changed', async () => {
    await rules({ removedScopes: ['orders:read'] });
    const add = (events: readonly string[]) =>
      bob.own('POST', '/webhook-endpoints', { url: receiver.url, events });
    expect(await refused(add(['order.paid']))).toEqual(beyond);
    expect(await refused(add([]))).toEqual(beyond);
    const own = await addEndpoint(bob, { events: ['business.updated', 'api_key.expired'] });
    expect(await refused(bob.own('PATCH', endpointPath(own), { events: ['order.paid'] }))).toEqual(beyond);
    const adas = await addEndpoint(ada.dashboard, { events: ['order.created', 'order.paid'] });
    const url = `${receiver.url}/bob`;
    expect(await refused(bob.own('PATCH', endpointPath(adas), { url }))).toEqual(beyond);
    expect((await bob.own('PATCH', endpointPath(adas), { events: ['order.paid'] })).status).toBe(200);
    expect(await endpointOf(adas)).toMatchObject({ maker: { personId: ada.person.id } });
  });

  /** Changes an endpoint, and does something else between the change and the check that follows it. */
  async function changeDuring(id: string, act: () => Promise<unknown>) {
    const row = 'SELECT 1 FROM endpoints WHERE id = $1 FOR UPDATE';
    const held = await holdLocks(platform.databases.webhook ?? '', row, [id]);
    const change = bob.own('PATCH', endpointPath(id), { url: `${receiver.url}/other` });
    try {
      await held.untilWaiting(1);
      await act();
    } finally {
      await held.release();
    }
    const response = await change;
    return { response, acts: await actionsOf(platform, { id }) };
  }
  const acts = ['webhook_endpoint.created', 'webhook_endpoint.updated'];

  test('is disabled, with an audit event, when its maker loses the right to its events during a change', async () => {
    const id = await addEndpoint(bob, { events: ['order.paid'] });
    const changed = await changeDuring(id, () => rules({ removedScopes: ['orders:read'] }));
    expect(refusalOf(changed.response).reason).toBe('events_beyond_members');
    expect(changed.acts).toEqual([...acts, 'webhook_endpoint.disabled']);
    expect(await endpointOf(id)).toMatchObject({ enabled: false });
  });

  test('stays enabled when the database fails during a change', async () => {
    const id = await addEndpoint(bob, { events: ['order.paid'] });
    const rename = (from: string, to: string) => platform.sql(`ALTER TABLE ${from} RENAME TO ${to}`);
    try {
      const changed = await changeDuring(id, () => rename('member_key_rules', 'away'));
      expect([changed.response.status, changed.acts]).toEqual([500, acts]);
    } finally {
      await rename('away', 'member_key_rules');
    }
    expect(await endpointOf(id)).toMatchObject({ enabled: true, url: `${receiver.url}/other` });
  });

  test('gets no events that its creator may no longer read, until an owner takes it over', async () => {
    const { keyString } = await platform.createKey({ businessId: ada.person.businessId });
    const id = await addEndpoint(bob, { events: ['order.created'] });
    const sent = (order: string) =>
      expectEventually(() => expect(ordersOf(receiver)).toContain(order), { withinMs: 10_000 });
    await sent(await makeOrder(platform, keyString));
    await rules({ removedScopes: ['orders:read'] });
    expect((await endpointOf(id)).withheld).toEqual(['order.created']);
    const held = await makeOrder(platform, keyString);
    const withdrawn = async () =>
      z
        .object({ deliveries: z.array(z.looseObject({})) })
        .parse((await ada.dashboard.own('GET', '/webhook-deliveries?status=withdrawn')).json()).deliveries;
    await expectEventually(async () => expect(await withdrawn()).toHaveLength(1), { withinMs: 10_000 });
    expect(ordersOf(receiver)).not.toContain(held);
    const taken = await ada.dashboard.own('PATCH', endpointPath(id), { events: ['order.created'] });
    expect(taken.json()).toMatchObject({ maker: { personId: ada.person.id }, withheld: [] });
    const since = new Date(Date.now() - 600_000).toISOString();
    expect((await ada.dashboard.own('POST', `${endpointPath(id)}/recover`, { since })).status).toBe(200);
    await sent(held);
  });
});
