import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { metricOf } from '../harness/metrics.ts';
import { recordingUpstream } from '../harness/recording-upstream.ts';
import { unissued } from '../harness/refused-bearers.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** Gateways: one in front of a recorder that says 200 to everything, one in front of business-service. */
const [recorded, real] = [0, 1];

const upstream = running(recordingUpstream);
const platform = running(() =>
  sharedBehind({
    gateways: 2,
    gatewayEnv: (index): Record<string, string> =>
      index === recorded ? { BUSINESS_HTTP_ORIGINS: upstream.origin } : {},
  }),
);

const forbidden = '{"status":"Forbidden","code":403}';
const remaining = ({ headers }: HttpResponse) => headers['x-ratelimit-remaining'];

describe('every route, method and set of scopes', () => {
  const scopes = ['business:read', 'orders:read', 'orders:write', 'events:read'];
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  /** The table of the contract: the scope that a method requires; every other method is not allowed. */
  const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '/v2/businesses/me': { GET: 'business:read', HEAD: 'business:read' },
    '/v2/order': { GET: 'orders:read', HEAD: 'orders:read', POST: 'orders:write' },
    '/v2/order/o1': { GET: 'orders:read', HEAD: 'orders:read', PATCH: 'orders:write' },
    '/v2/customers': { DELETE: 'orders:write' },
    '/v2/events': { GET: 'events:read', HEAD: 'events:read' },
    '/v2/nothing-here': {},
  };

  const subsets = Array.from({ length: 15 }, (_, i) => scopes.filter((_, bit) => ((i + 1) >> bit) & 1));

  const everything = Object.keys(table).flatMap((path) => methods.map((method) => ({ method, path })));

  function expectedStatus(path: string, method: string, held: readonly string[]): number {
    if (path === '/v2/nothing-here') return 404;
    const scope = table[path]?.[method];
    if (scope === undefined) return 405;
    return held.includes(scope) ? 200 : 403;
  }

  /** Sends everything with one key, in turn; only what is expected is returned, forwarded or counted. */
  async function sendAll({ keyString: key }: TestKey, held: readonly string[]): Promise<void> {
    upstream.clear();
    let left = 10_000;
    for (const { method, path } of everything) {
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined;
      const response = await platform.request(recorded, method, path, { key, body });
      const status = expectedStatus(path, method, held);
      expect([method, path, response.status, remaining(response)]).toEqual([
        method,
        path,
        status,
        `${--left}`,
      ]);
      if (status === 403) expectHelp(response, method, table[path]?.[method] ?? '');
    }
    const allowed = everything.filter(({ method, path }) => expectedStatus(path, method, held) === 200);
    expect(upstream.requests.map(({ method, target }) => `${method} /v2${target}`)).toEqual(
      allowed.map(({ method, path }) => `${method} ${path}`),
    );
  }

  function expectHelp({ text, headers }: HttpResponse, method: string, scope: string): void {
    expect(text).toBe(method === 'HEAD' ? '' : forbidden);
    expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    expect(headers.link).toBe('</docs/errors#insufficient_scope>; rel="help"');
  }

  test.each(subsets.map((subset) => [subset.join(' '), subset] as const))(
    'restricted: %s',
    async (_, held) => {
      await sendAll(await platform.createKey({ type: 'restricted', scopes: held }), held);
    },
  );

  test('secret: everything', async () => {
    await sendAll(await platform.createKey(), scopes);
  });

  test('a restricted key without scopes cannot be created', async () => {
    await expect(platform.createKey({ type: 'restricted', scopes: [] })).rejects.toMatchObject({
      reason: 'scopes_required',
    });
  });
});

describe('calls of identity-service', () => {
  /** Calls of the gateway. identity-services may count more: a slow one is asked a second time. */
  const authorizations = async () =>
    (await metricOf(platform.gateways[recorded], 'gateway_identity_answers_total')) ?? 0;
  const ask = (bearer: string) => platform.request(recorded, 'GET', '/v2/order', { key: bearer });

  test('a string that cannot be a credential is refused without a call to identity-service', async () => {
    const genuine = unissued(platform, 'sk');
    const before = await authorizations();
    const malformed = [
      'nonsense',
      `${genuine}x`,
      genuine.slice(0, -1),
      genuine.replace('sk_', 'rk_'),
      genuine.replace('sk_', 'SK_'),
      genuine.slice(0, -1) + (genuine.endsWith('0') ? '1' : '0'),
      createCheckedToken('rt'),
      createCheckedToken('sk'),
      createCheckedToken('at'),
      'x'.repeat(5_000),
    ];
    for (const bearer of malformed) expect((await ask(bearer)).status).toBe(401);
    expect(await authorizations()).toBe(before);
    expect((await ask(genuine)).status).toBe(401);
    expect((await ask(genuine)).status).toBe(401);
    expect(await authorizations()).toBe(before + 1);
  });

  test('an authorization is cached per scope, whether it allows the request or not', async () => {
    const { keyString } = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    const business = () => platform.me(keyString, recorded);
    expect((await ask(keyString)).status).toBe(200);
    const before = await authorizations();
    expect((await ask(keyString)).status).toBe(200);
    expect((await ask(keyString)).status).toBe(200);
    expect((await authorizations()) - before).toBeLessThanOrEqual(1);
    const asked = await authorizations();
    expect([(await business()).status, (await business()).status]).toEqual([403, 403]);
    expect(await authorizations()).toBe(asked + 1);
  });
});

test('a banned business can read only its own record, which shows the ban', async () => {
  const businessId = await platform.createVerifiedBusiness('banned');
  const { keyString: key } = await platform.createKey({ businessId });
  const statuses = async () => {
    const orders = await platform.request(real, 'GET', '/v2/order', { key });
    const order = await platform.request(real, 'GET', '/v2/order/ord_1', { key });
    const created = await platform.request(real, 'POST', '/v2/order', { key, body: {} });
    const changed = await platform.request(real, 'PATCH', '/v2/order/ord_1', { key, body: {} });
    return [orders, order, created, changed].map(({ status, text }) => (status === 403 ? text : status));
  };
  const record = async () => {
    const { status, json } = await platform.me(key, real);
    return { status, body: json() };
  };
  expect(await record()).toMatchObject({ status: 200, body: { id: businessId, is_banned: false } });
  expect(await statuses()).not.toContain(forbidden);

  await platform.banBusiness(businessId);
  expect(await record()).toMatchObject({ status: 200, body: { id: businessId, is_banned: true } });
  expect(await statuses()).toEqual([forbidden, forbidden, forbidden, forbidden]);

  await platform.unbanBusiness(businessId);
  expect(await record()).toMatchObject({ status: 200, body: { id: businessId, is_banned: false } });
  expect(await statuses()).not.toContain(forbidden);
});

test('a key works while now < expiration, and no longer, though its authorization was cached', async () => {
  const { id, keyString: key } = await platform.createKey({ expiresAt: new Date(Date.now() + 3_600_000) });
  // Moved before a gateway knows it: only the first request has to be in time.
  const expiresAt = new Date(Date.now() + 6_000);
  await platform.sql('UPDATE api_keys SET expires_at = $2 WHERE id = $1', [id, expiresAt]);
  const seen: { status: number; text: string; startedAt: number; endedAt: number }[] = [];
  await expectEventually(
    async () => {
      const startedAt = Date.now();
      const { status, text } = await platform.request(recorded, 'GET', '/v2/order', { key });
      seen.push({ status, text, startedAt, endedAt: Date.now() });
      // Where the clock is set on meanwhile, one more.
      expect(startedAt).toBeGreaterThan(expiresAt.getTime() + 300);
    },
    { withinMs: 10_000, everyMs: 20 },
  );
  const early = seen.filter(({ endedAt }) => endedAt < expiresAt.getTime());
  const late = seen.filter(({ startedAt }) => startedAt >= expiresAt.getTime());
  expect(early.length).toBeGreaterThan(0);
  expect(late.length).toBeGreaterThan(0);
  expect(early.filter(({ status }) => status !== 200)).toEqual([]);
  const expired = '{"error":"API key has expired","status":"Unauthorized","code":401}';
  expect(late.filter(({ status, text }) => status !== 401 || text !== expired)).toEqual([]);
});
