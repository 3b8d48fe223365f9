import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { makeKey, restricted, withString } from '../harness/made-key.ts';
import { joinBusiness, signUp, type TestPerson } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import type { TestRedis } from '../harness/redis.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { callFrom } from '../harness/usage.ts';

const platform = running(sharedPlatform);
let redis: TestRedis;
let ada: TestPerson;
let dashboard: Dashboard;
let member: Dashboard;
let stranger: TestPerson;
beforeAll(async () => {
  if (platform.redis === undefined) throw new Error('These tests need Redis.');
  redis = platform.redis;
  const people = await Promise.all([signUp(platform), signUp(platform), signUp(platform)]);
  [ada, , stranger] = people;
  await joinBusiness(platform, people[1], ada.businessId, 'developer');
  dashboard = await openDashboard(ada, ada.browser);
  member = await openDashboard(ada, people[1].browser);
});

const make = (body?: object, by = dashboard) => makeKey(by, body);
const use = (keyString: string) => callFrom(platform, keyString);

/**
 * Changes a key that is in use, and has the change confirmed; another one where Redis needs longer than the second that it has, on
 * a busy machine.
 */
const confirmed = (change: (path: string) => Promise<HttpResponse>) =>
  expectEventually(
    async () => {
      const key = await make();
      expect(await use(key.keyString)).toBe(200);
      const path = `/api-keys/${key.id}`;
      const response = await change(path);
      expect([response.status, response.json()]).toMatchObject([200, { propagation: 'confirmed' }]);
      return { key, path, response };
    },
    { withinMs: 5_000 },
  );

/** Response of an operation that refuses one field. */
async function refused(method: string, path: string, body: unknown) {
  const { code, reason, fields } = refusalOf(await dashboard.own(method, path, body));
  return [code, reason, fields];
}

describe('a new key', () => {
  test('is shown once, works, and stands in the list and on its own page without its string', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const key = await make({ ...restricted, expiresAt });
    expect(key.keyString).toMatch(/^rk_/);
    expect(await use(key.keyString)).toBe(200);
    const shown = {
      id: key.id,
      name: 'Shop',
      description: 'Fetches orders',
      keyType: 'restricted',
      scopes: ['business:read', 'orders:read'],
      status: 'active',
      lastFour: key.keyString.slice(-4),
      expiresAt,
      rotatedAt: null,
    };
    expect(key.response).toMatchObject({ apiKey: shown });
    const list = await dashboard.own('GET', '/api-keys');
    expect(list.json()).toMatchObject({ apiKeys: expect.arrayContaining([expect.objectContaining(shown)]) });
    const detail = await dashboard.own('GET', `/api-keys/${key.id}`);
    expect(detail.json()).toMatchObject(shown);
    for (const { text } of [list, detail]) expect(text).not.toContain(key.keyString);
    expect(await eventsOf(platform, key.id)).toEqual([
      { action: 'api_key.created', actor_kind: 'person', actor_id: ada.id },
    ]);
  });

  test('requires only a name and a type', async () => {
    const { keyString, response } = await make({ name: ' Backend ', keyType: 'secret' });
    expect(keyString).toMatch(/^sk_/);
    expect(response).toMatchObject({
      apiKey: { name: 'Backend', description: '', scopes: [], expiresAt: null },
    });
  });

  test.each([
    ['an empty name', { name: ' ' }, 'invalid_name', 'name'],
    [
      'an expiration in the past',
      { expiresAt: '2020-01-01T00:00:00Z' },
      'expiration_not_in_future',
      'expiresAt',
    ],
    ['an unknown scope', { scopes: ['orders:sell'] }, 'unknown_scope', 'scopes'],
  ])('with %s is refused at that field, and nothing is made', async (_, changes, reason, field) => {
    const list = z.object({ apiKeys: z.array(z.looseObject({ id: z.string() })) });
    const count = async () => list.parse((await dashboard.own('GET', '/api-keys')).json()).apiKeys.length;
    const before = await count();
    expect(await refused('POST', '/api-keys', { ...restricted, ...changes })).toEqual([400, reason, [field]]);
    expect(await count()).toBe(before);
  });
});

describe('a change', () => {
  test('of name and description keeps everything else', async () => {
    const key = await make();
    const response = await dashboard.own('PATCH', `/api-keys/${key.id}`, { name: 'Till', description: '' });
    expect([response.status, response.json()]).toMatchObject([
      200,
      {
        propagation: 'confirmed',
        apiKey: { name: 'Till', description: '', scopes: ['business:read', 'orders:read'] },
      },
    ]);
    expect(await use(key.keyString)).toBe(200);
  });

  test('of scopes counts at once, and can be taken back', async () => {
    const setScopes = (path: string, scopes: readonly string[]) => dashboard.own('PATCH', path, { scopes });
    const { key, path } = await confirmed((path) => setScopes(path, ['orders:read']));
    expect(await use(key.keyString)).toBe(403);
    await setScopes(path, restricted.scopes);
    expect(await use(key.keyString)).toBe(200);
  });

  test.each([
    ['the type, to null', { name: 'x', keyType: null }, 'key_type_immutable', 'keyType'],
    ['the expiration, to never', { expiresAt: null }, 'expiration_immutable', 'expiresAt'],
    ['the name away', { name: '' }, 'invalid_name', 'name'],
  ])('of %s is refused with the reason', async (_, body, reason, field) => {
    const key = await make();
    expect(await refused('PATCH', `/api-keys/${key.id}`, body)).toEqual([400, reason, [field]]);
    expect((await dashboard.own('GET', `/api-keys/${key.id}`)).json()).toMatchObject({ name: 'Shop' });
  });

  test('of the scopes of a secret key, or of nothing, is refused with the reason', async () => {
    const key = await make({ name: 'Backend', keyType: 'secret' });
    const path = `/api-keys/${key.id}`;
    expect(await refused('PATCH', path, { scopes: ['orders:read'] })).toEqual([
      400,
      'scopes_immutable',
      ['scopes'],
    ]);
    const nothing = await dashboard.own('PATCH', path, {});
    expect([nothing.status, nothing.json()]).toMatchObject([400, { reason: 'empty_update' }]);
  });

  test('of an expired key is refused, except for its name', async () => {
    const key = await make();
    await platform.sql(
      "UPDATE api_keys SET created_at = now() - interval '2 days', expires_at = now() - interval '1 day' WHERE id = $1",
      [key.id],
    );
    const path = `/api-keys/${key.id}`;
    expect((await dashboard.own('GET', path)).json()).toMatchObject({ status: 'expired' });
    for (const response of [
      await dashboard.own('PATCH', path, { scopes: ['orders:read'] }),
      await dashboard.own('POST', `${path}/rotate`),
    ]) {
      expect([response.status, response.json()]).toMatchObject([409, { reason: 'api_key_expired' }]);
    }
    expect((await dashboard.own('PATCH', path, { name: 'Old' })).status).toBe(200);
    expect((await dashboard.own('DELETE', path)).status).toBe(200);
  });
});

test('rotation returns a new string once, and the old one ends at once', async () => {
  const { key, response } = await confirmed((path) => dashboard.own('POST', `${path}/rotate`));
  expect(response.headers['cache-control']).toBe('no-store');
  const { apiKey, keyString } = withString.parse(response.json());
  expect(response.json()).toMatchObject({ apiKey: { rotatedAt: expect.any(String) } });
  expect([apiKey.id, apiKey.lastFour]).toEqual([key.id, keyString.slice(-4)]);
  expect([await use(key.keyString), await use(keyString)]).toEqual([401, 200]);
});

test('deletion ends a key at once, and there is nothing left of it', async () => {
  let name = '';
  const { key, path, response } = await confirmed(async (path) => {
    name = `Deleted ${path.slice(-8)}`;
    expect((await dashboard.own('PATCH', path, { name })).status).toBe(200);
    expect((await dashboard.own('GET', '/api-keys')).text).toContain(name);
    return dashboard.own('DELETE', path);
  });
  expect(response.json()).toEqual({ propagation: 'confirmed' });
  expect(await use(key.keyString)).toBe(401);
  const { identity } = platform.databases;
  expect(await query(identity, 'SELECT 1 FROM api_keys WHERE id = $1 OR name = $2', [key.id, name])).toEqual(
    [],
  );
  const list = await dashboard.own('GET', '/api-keys');
  expect(list.status).toBe(200);
  for (const text of [key.id, name]) expect(list.text).not.toContain(text);
  const again = await dashboard.own('DELETE', path);
  expect([again.status, again.json()]).toMatchObject([404, { reason: 'api_key_not_found' }]);
});

describe('access to a key', () => {
  const operations = [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'Mine' }],
    ['POST', '/rotate', undefined],
    ['DELETE', '', undefined],
    ['GET', '/usage?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z', undefined],
    ['GET', '/blast-radius', undefined],
  ] as const;

  test.each(operations)(
    '%s …%s is refused to strangers and for a key of another business',
    async (method, rest, body) => {
      const key = await make();
      const other = await openDashboard(stranger, stranger.browser);
      const mine = await other.own(method, `/api-keys/${key.id}${rest}`, body);
      expect([mine.status, mine.json()]).toMatchObject([404, { reason: 'api_key_not_found' }]);
      const theirs = `/businesses/${ada.businessId}/api-keys/${key.id}${rest}`;
      const response = await other.call(method, theirs, body);
      expect([response.status, response.json()]).toMatchObject([404, { error: 'There is nothing here.' }]);
      expect(await use(key.keyString)).toBe(200);
    },
  );

  test('members may do everything that owners may', async () => {
    const key = await make(restricted, member);
    const path = `/api-keys/${key.id}`;
    for (const [method, rest, body] of [...operations].sort((a, b) => Number(a[0] > b[0]))) {
      if (method !== 'DELETE') expect((await member.own(method, `${path}${rest}`, body)).status).toBe(200);
    }
    expect((await member.own('DELETE', path)).status).toBe(200);
    expect((await member.own('GET', '/api-keys')).status).toBe(200);
  });

  test('no change is made without the CSRF token of the session', async () => {
    const key = await make();
    const path = `/dashboard-api/businesses/${ada.businessId}/api-keys/${key.id}`;
    for (const [method, at, body] of [
      ['PATCH', path, { name: 'x' }],
      ['POST', `${path}/rotate`, undefined],
      ['DELETE', path, undefined],
    ] as const) {
      expect((await ada.browser.send(method, at, body ? { body } : {})).status).toBe(403);
    }
    expect((await dashboard.own('GET', `/api-keys/${key.id}`)).json()).toMatchObject({ name: 'Shop' });
    expect(await use(key.keyString)).toBe(200);
  });
});

// Last: gateways take a moment to find Redis again, and count for themselves until then.
test('changes respond with pending while they cannot be published', async () => {
  const [one, two, three, four] = [await make(), await make(), await make(), await make()];
  await redis.stop();
  try {
    const responses = await Promise.all([
      dashboard.own('PATCH', `/api-keys/${one.id}`, { scopes: ['orders:read'] }),
      dashboard.own('POST', `/api-keys/${two.id}/rotate`),
      dashboard.own('DELETE', `/api-keys/${three.id}`),
      dashboard.own('DELETE', '/api-keys', { apiKeyIds: [four.id] }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const response of responses) expect(response.json()).toMatchObject({ propagation: 'pending' });
  } finally {
    await redis.start();
  }
});
