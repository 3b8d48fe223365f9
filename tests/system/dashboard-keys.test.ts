import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { eventually } from '../harness/eventually.ts';
import { joinBusiness, signUp, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import type { TestRedis } from '../harness/redis.ts';

let platform: Platform;
let redis: TestRedis;
let ada: TestPerson;
let dashboard: Dashboard;
let member: Dashboard;
let stranger: TestPerson;
beforeAll(async () => {
  platform = await startPlatform({ gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' } });
  if (platform.redis === undefined) throw new Error('These tests need Redis.');
  redis = platform.redis;
  const people = await Promise.all([signUp(platform), signUp(platform), signUp(platform)]);
  [ada, , stranger] = people;
  await joinBusiness(platform, people[1], ada.businessId, 'member');
  dashboard = await openDashboard(ada, ada.browser);
  member = await openDashboard(ada, people[1].browser);
});
afterAll(() => platform?.close());

const record = z.object({ id: z.string(), lastFour: z.string() });
const created = z.object({ apiKey: record, keyString: z.string() });
const refusal = z.object({ code: z.number(), reason: z.string(), fields: z.record(z.string(), z.string()) });

const settings = { name: 'Shop', description: 'Fetches orders', keyType: 'restricted' as const };
const restricted = { ...settings, scopes: ['orders:read', 'business:read'] };

async function make(body: object = restricted, by = dashboard) {
  const answer = await by.own('POST', '/api-keys', body);
  expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
  const { apiKey, keyString } = created.parse(answer.json());
  return { ...apiKey, businessId: ada.businessId, keyString, answer: answer.json() };
}

const use = async (keyString: string, path = '/v2/businesses/me', address = '192.0.2.7', method = 'GET') =>
  (
    await platform.request(0, method, path, {
      key: keyString,
      headers: { 'X-Forwarded-For': address },
    })
  ).status;

/** What an operation answers when it refuses one field. */
async function refused(method: string, path: string, body: unknown) {
  const answer = await dashboard.own(method, path, body);
  const { code, reason, fields } = refusal.parse(answer.json());
  return [code, reason, Object.keys(fields).sort()];
}

const audit = (subjectId: string) =>
  query(
    platform.databases.identity,
    'SELECT action, actor_kind, actor_id FROM audit_events WHERE subject_id = $1 ORDER BY id',
    [subjectId],
  );

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
    expect(key.answer).toMatchObject({ apiKey: shown });
    const list = await dashboard.own('GET', '/api-keys');
    expect(list.json()).toMatchObject({ apiKeys: expect.arrayContaining([expect.objectContaining(shown)]) });
    const detail = await dashboard.own('GET', `/api-keys/${key.id}`);
    expect(detail.json()).toMatchObject(shown);
    for (const { text } of [list, detail]) expect(text).not.toContain(key.keyString);
    expect(await audit(key.id)).toEqual([
      { action: 'api_key.created', actor_kind: 'person', actor_id: ada.id },
    ]);
  });

  test('needs a name and a type only', async () => {
    const { keyString, answer } = await make({ name: ' Backend ', keyType: 'secret' });
    expect(keyString).toMatch(/^sk_/);
    expect(answer).toMatchObject({
      apiKey: { name: 'Backend', description: '', scopes: [], expiresAt: null },
    });
  });

  test.each([
    ['an empty name', { name: ' ' }, 'invalid_name', 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'invalid_name', 'name'],
    ['a long description', { description: 'd'.repeat(501) }, 'invalid_description', 'description'],
    ['a restricted key without scopes', { scopes: [] }, 'scopes_required', 'scopes'],
    ['a secret key with scopes', { keyType: 'secret' }, 'scopes_not_allowed', 'scopes'],
    ['a scope twice', { scopes: ['orders:read', 'orders:read'] }, 'duplicate_scope', 'scopes'],
    [
      'an expiration that is over',
      { expiresAt: '2020-01-01T00:00:00Z' },
      'expiration_not_in_future',
      'expiresAt',
    ],
    ['an unknown scope', { scopes: ['orders:sell'] }, 'invalid_input', 'scopes.0'],
    ['an unknown type', { keyType: 'public' }, 'invalid_input', 'keyType'],
    ['an expiration without a time', { expiresAt: '2027-01-01' }, 'invalid_input', 'expiresAt'],
    ['a name that is no text', { name: 7 }, 'invalid_input', 'name'],
    ['a limit of its own', { limit: 1_000_000 }, 'invalid_input', 'limit'],
    ["another's business", { businessId: 1 }, 'invalid_input', 'businessId'],
  ])('with %s is refused at that field, and nothing is made', async (_, changes, reason, field) => {
    const count = async () =>
      z.object({ apiKeys: z.array(record) }).parse((await dashboard.own('GET', '/api-keys')).json()).apiKeys
        .length;
    const before = await count();
    expect(await refused('POST', '/api-keys', { ...restricted, ...changes })).toEqual([400, reason, [field]]);
    expect(await count()).toBe(before);
  });
});

describe('a change', () => {
  test('of name and description keeps everything else', async () => {
    const key = await make();
    const answer = await dashboard.own('PATCH', `/api-keys/${key.id}`, { name: 'Till', description: '' });
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      {
        propagation: 'confirmed',
        apiKey: { name: 'Till', description: '', scopes: ['business:read', 'orders:read'] },
      },
    ]);
    expect(await use(key.keyString)).toBe(200);
  });

  test('of scopes counts at once, and can be taken back', async () => {
    const key = await make();
    expect(await use(key.keyString)).toBe(200);
    const setScopes = (scopes: string[]) => dashboard.own('PATCH', `/api-keys/${key.id}`, { scopes });
    expect((await setScopes(['orders:read'])).json()).toMatchObject({ propagation: 'confirmed' });
    expect(await use(key.keyString)).toBe(403);
    await setScopes(restricted.scopes);
    expect(await use(key.keyString)).toBe(200);
  });

  test.each([
    ['the type', { keyType: 'secret' }, 'key_type_immutable', 'keyType'],
    ['the type, to null', { name: 'x', keyType: null }, 'key_type_immutable', 'keyType'],
    ['the expiration', { expiresAt: '2030-01-01T00:00:00Z' }, 'expiration_immutable', 'expiresAt'],
    ['the expiration, to never', { expiresAt: null }, 'expiration_immutable', 'expiresAt'],
    ['all scopes away', { scopes: [] }, 'scopes_required', 'scopes'],
    ['the name away', { name: '' }, 'invalid_name', 'name'],
    ['the limit', { limit: 5 }, 'invalid_input', 'limit'],
    ['the status', { status: 'active' }, 'invalid_input', 'status'],
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

  test('of an expired key is refused, but for its name', async () => {
    const key = await make();
    await query(
      platform.databases.identity,
      "UPDATE api_keys SET created_at = now() - interval '2 days', expires_at = now() - interval '1 day' WHERE id = $1",
      [key.id],
    );
    const path = `/api-keys/${key.id}`;
    expect((await dashboard.own('GET', path)).json()).toMatchObject({ status: 'expired' });
    for (const answer of [
      await dashboard.own('PATCH', path, { scopes: ['orders:read'] }),
      await dashboard.own('POST', `${path}/rotate`),
    ]) {
      expect([answer.status, answer.json()]).toMatchObject([409, { reason: 'api_key_expired' }]);
    }
    expect((await dashboard.own('PATCH', path, { name: 'Old' })).status).toBe(200);
    expect((await dashboard.own('DELETE', path)).json()).toEqual({ propagation: 'confirmed' });
  });
});

test('rotation answers a new string once, and the old one ends at once', async () => {
  const key = await make();
  expect(await use(key.keyString)).toBe(200);
  const answer = await dashboard.own('POST', `/api-keys/${key.id}/rotate`);
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  const { apiKey, keyString } = created.parse(answer.json());
  expect(answer.json()).toMatchObject({
    propagation: 'confirmed',
    apiKey: { rotatedAt: expect.any(String) },
  });
  expect([apiKey.id, apiKey.lastFour]).toEqual([key.id, keyString.slice(-4)]);
  expect([await use(key.keyString), await use(keyString)]).toEqual([401, 200]);
});

test('deletion ends a key at once, and there is nothing left of it', async () => {
  const key = await make();
  expect(await use(key.keyString)).toBe(200);
  const answer = await dashboard.own('DELETE', `/api-keys/${key.id}`);
  expect([answer.status, answer.json()]).toEqual([200, { propagation: 'confirmed' }]);
  expect(await use(key.keyString)).toBe(401);
  const again = await dashboard.own('DELETE', `/api-keys/${key.id}`);
  expect([again.status, again.json()]).toMatchObject([404, { reason: 'api_key_not_found' }]);
});

describe('what a key was used for', () => {
  const traffic = async () => {
    const key = await make({ ...restricted, scopes: ['business:read', 'orders:read', 'orders:write'] });
    await platform.setKeyLimit(key, 5);
    expect([
      await use(key.keyString),
      await use(key.keyString),
      await use(key.keyString, '/v2/order', '192.0.2.8'),
      await use(key.keyString, '/v2/order/ord_none', '192.0.2.8'),
      await use(key.keyString, '/v2/order', '192.0.2.8', 'DELETE'),
      await use(key.keyString, '/v2/order', '192.0.2.8'),
    ]).toEqual([200, 200, 200, 404, 405, 429]);
    return key;
  };
  const get = async (path: string) => (await dashboard.own('GET', path)).json();

  test('is told within seconds: state of the hour, scopes, hours, addresses and endpoints', async () => {
    const startedAt = Date.now();
    const key = await traffic();
    const path = `/api-keys/${key.id}`;
    const isTold = async () =>
      expect(await get(`${path}/blast-radius`)).toMatchObject({ calls: { lastHour: 6 } });
    await eventually(isTold, { withinMs: 15_000 });
    const rollingHour = { limit: 5, used: 5, left: 0, observedAt: expect.any(String) };
    const never = { lastUsedAt: null };
    expect(await get(path)).toMatchObject({
      rollingHour,
      lastUsedAt: expect.any(String),
      scopeUses: [
        { scope: 'business:read', lastUsedAt: expect.any(String) },
        { scope: 'orders:read', lastUsedAt: expect.any(String) },
        { scope: 'orders:write', ...never },
      ],
    });
    const list = z.object({ apiKeys: z.array(z.looseObject({ id: z.string() })) });
    const listed = list.parse(await get('/api-keys')).apiKeys.find(({ id }) => id === key.id);
    expect(listed).toMatchObject({ rollingHour, lastUsedIp: '192.0.2.8' });

    const from = new Date(startedAt - 3_600_000).toISOString();
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const { hours } = z
      .object({ hours: z.array(z.record(z.string(), z.unknown())) })
      .parse(await get(`${path}/usage?from=${from}&to=${to}`));
    const sum = (name: string) => hours.reduce((total, hour) => total + Number(hour[name]), 0);
    expect(['count2xx', 'count4xx', 'count429', 'count5xx'].map(sum)).toEqual([3, 2, 1, 0]);

    const radius = await get(`${path}/blast-radius`);
    expect(radius).toEqual({
      calls: { lastHour: 6, lastDay: 6 },
      since: expect.stringMatching(/:00:00\.000Z$/),
      addresses: [
        { address: '192.0.2.8', requests: 4, successes: 1, lastSuccessAt: expect.any(String) },
        { address: '192.0.2.7', requests: 2, successes: 2, lastSuccessAt: expect.any(String) },
      ],
      endpoints: expect.arrayContaining([
        { method: 'GET', route: '/v2/businesses/me', requests: 2 },
        { method: 'GET', route: '/v2/order', requests: 2 },
        { method: null, route: '/v2/order', requests: 1 },
      ]),
      lastUsedAt: expect.any(String),
      lastUsedIp: '192.0.2.8',
    });
  });

  test('is nothing for a new key, and every scope counts for a secret one', async () => {
    const key = await make({ name: 'Backend', keyType: 'secret' });
    const path = `/api-keys/${key.id}`;
    expect(await get(path)).toMatchObject({
      lastUsedAt: null,
      rollingHour: { limit: 10_000, used: 0, left: 10_000, observedAt: null },
      scopeUses: ['business:read', 'events:read', 'orders:read', 'orders:write'].map((scope) => ({
        scope,
        lastUsedAt: null,
      })),
    });
    expect(await get(`${path}/blast-radius`)).toMatchObject({
      calls: { lastHour: 0, lastDay: 0 },
      addresses: [],
      endpoints: [],
      lastUsedAt: null,
      lastUsedIp: null,
    });
    const span = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00%2B01:00';
    expect(await get(`${path}/usage?${span}`)).toEqual({ hours: [] });
  });

  test('can be asked for 90 days at once, not more, and not backwards', async () => {
    const { id } = await make();
    const status = async (span: string) =>
      (await dashboard.own('GET', `/api-keys/${id}/usage?${span}`)).status;
    expect(await status('from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:00Z')).toBe(200);
    const field = (span: string) => refused('GET', `/api-keys/${id}/usage?${span}`, undefined);
    expect(await field('from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:01Z')).toEqual([
      400,
      'invalid_input',
      ['from'],
    ]);
    expect(await field('from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z')).toEqual([
      400,
      'invalid_input',
      ['to'],
    ]);
    expect(await field('from=yesterday')).toEqual([400, 'invalid_input', ['from', 'to']]);
  });
});

describe('whose a key is', () => {
  const operations = [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'Mine' }],
    ['POST', '/rotate', undefined],
    ['DELETE', '', undefined],
    ['GET', '/usage?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z', undefined],
    ['GET', '/blast-radius', undefined],
  ] as const;

  test.each(operations)(
    '%s …%s: neither from outside, nor with the key of another',
    async (method, rest, body) => {
      const key = await make();
      const other = await openDashboard(stranger, stranger.browser);
      const mine = await other.own(method, `/api-keys/${key.id}${rest}`, body);
      expect([mine.status, mine.json()]).toMatchObject([404, { reason: 'api_key_not_found' }]);
      const theirs = `/businesses/${ada.businessId}/api-keys/${key.id}${rest}`;
      const answer = await other.call(method, theirs, body);
      expect([answer.status, answer.json()]).toMatchObject([404, { error: 'There is nothing here.' }]);
      expect(await use(key.keyString)).toBe(200);
    },
  );

  test('members may do all that owners may', async () => {
    const key = await make(restricted, member);
    const path = `/api-keys/${key.id}`;
    for (const [method, rest, body] of [...operations].sort((a, b) => Number(a[0] > b[0]))) {
      if (method !== 'DELETE') expect((await member.own(method, `${path}${rest}`, body)).status).toBe(200);
    }
    expect((await member.own('DELETE', path)).status).toBe(200);
    expect((await member.own('GET', '/api-keys')).status).toBe(200);
  });

  test('no change without the token of the session', async () => {
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

test('a list has the 1,000 newest keys, newest first, and says when there are more', async () => {
  const owner = await signUp(platform);
  const { own } = await openDashboard(owner, owner.browser);
  const insert = (from: number, to: number) =>
    query(
      platform.databases.identity,
      `INSERT INTO api_keys (id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit, created_at)
       SELECT 'key_' || $1 || '_' || n, $1::bigint, 'key ' || n, '', 'secret', '{}', sha256(($1 || '-' || n)::bytea), 'abcd', 10000,
              now() - interval '1 day' + n * interval '1 second'
       FROM generate_series($2::int, $3::int) AS n`,
      [String(owner.businessId), from, to],
    );
  const list = async () =>
    z
      .object({ complete: z.boolean(), apiKeys: z.array(z.object({ name: z.string() })) })
      .parse((await own('GET', '/api-keys')).json());
  await insert(1, 1_000);
  expect(await list()).toMatchObject({ complete: true, apiKeys: { length: 1_000 } });
  await insert(1_001, 1_001);
  const { complete, apiKeys } = await list();
  expect([complete, apiKeys.length, apiKeys[0]?.name, apiKeys.at(-1)?.name]).toEqual([
    false,
    1_000,
    'key 1001',
    'key 2',
  ]);
});

// Last: gateways take a moment to find Redis again, and count for themselves until then.
test('while gateways cannot be told, changes answer that they are pending', async () => {
  const [one, two, three] = [await make(), await make(), await make()];
  await redis.stop();
  try {
    const answers = await Promise.all([
      dashboard.own('PATCH', `/api-keys/${one.id}`, { scopes: ['orders:read'] }),
      dashboard.own('POST', `/api-keys/${two.id}/rotate`),
      dashboard.own('DELETE', `/api-keys/${three.id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const answer of answers) expect(answer.json()).toMatchObject({ propagation: 'pending' });
  } finally {
    await redis.start();
  }
});
