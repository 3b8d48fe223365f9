import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { invalidInputHeader } from '@platform/protos/vocabulary';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import type { RequestOptions } from '../harness/http-request.ts';
import { connect } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { decided, findRequest, listRequests } from '../harness/recorded-requests.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

const open = (person: TestPerson) => openDashboard(person, person.browser);

/** Sends a request, which fails, and returns its X-Request-Id. */
async function fail(method: string, path: string, options: RequestOptions = {}): Promise<string> {
  const response = await platform.request(0, method, path, options);
  expect(response.status).toBeGreaterThanOrEqual(400);
  return String(response.headers['x-request-id']);
}

describe('a refused request shows what was decided and where to fix it:', () => {
  let ada: TestPerson;
  let dashboard: Dashboard;
  beforeAll(async () => {
    ada = await signUpVerified(platform);
    dashboard = await open(ada);
  });
  const restricted = () =>
    platform.createKey({
      businessId: ada.businessId,
      name: 'Till',
      type: 'restricted',
      scopes: ['orders:read'],
    });

  test('a key without the scope', async () => {
    const key = await restricted();
    const body = { currency: 'EUR' };
    const sentAt = Date.now();
    const id = await fail('POST', '/v2/order?secret=1', {
      key: key.keyString,
      body,
      headers: { 'X-Forwarded-For': '192.0.2.7' },
    });
    const respondedAt = Date.now();
    const found = await findRequest(dashboard, id);
    expect(found).toMatchObject({
      id,
      method: 'POST',
      path: '/v2/order',
      route: '/v2/order',
      status: 403,
      reason: 'insufficient_scope',
      title: 'Scope orders:write is missing',
      clientIp: '192.0.2.7',
      requiredScope: 'orders:write',
      credential: {
        type: 'restricted_key',
        id: key.id,
        limitId: key.id,
        caller: { kind: 'api_key', id: key.id, name: 'Till', exists: true, isOwn: true },
      },
      explanation: { help: '/docs/errors#insufficient_scope' },
      remedy: { page: 'api_key', id: key.id },
    });
    expect(decided(found)).toEqual({ failed: ['scope'], open: ['route', 'upstream'] });
    expect(Date.parse(found.at)).toBeGreaterThanOrEqual(sentAt - 1_000);
    expect(Date.parse(found.at)).toBeLessThanOrEqual(respondedAt + 1_000);
  });

  test('an application from an address that is not on its whitelist', async () => {
    const application = await platform.createApplication({
      businessId: platform.businessId,
      name: 'Parcel Post',
      ipWhitelist: ['192.0.2.1', '127.0.0.1'],
    });
    const { accessToken } = await connect(platform, ada.browser, application);
    const id = await fail('GET', '/v2/order', {
      key: accessToken,
      headers: { 'X-Forwarded-For': '192.0.2.9' },
    });
    const found = await findRequest(dashboard, id);
    expect(found).toMatchObject({
      reason: 'ip_not_allowed',
      credential: { type: 'access_token', caller: { name: 'Parcel Post', isOwn: false, exists: true } },
      remedy: { page: 'connected', id: null },
    });
    expect(found.credential?.limitId).toMatch(/^grt_/);
    expect(decided(found).failed).toEqual(['address']);
  });

  test('a key whose hour is used up', async () => {
    const key = await restricted();
    await platform.setKeyLimit(key, 1);
    await platform.request(0, 'GET', '/v2/order', { key: key.keyString });
    const found = await findRequest(dashboard, await fail('GET', '/v2/order', { key: key.keyString }));
    expect([found.status, found.reason, found.title]).toEqual([429, 'rate_limited', 'Rate limit reached']);
    expect(decided(found)).toEqual({
      failed: ['limit'],
      open: ['frozen', 'suspended', 'address', 'scope', 'route', 'upstream'],
    });
  });

  test('a request that the service behind the gateway refused', async () => {
    const key = await restricted();
    const found = await findRequest(
      dashboard,
      await fail('GET', '/v2/order/ord_nothing', { key: key.keyString }),
    );
    expect(found).toMatchObject({
      status: 404,
      reason: null,
      explanation: { help: '/docs/errors#not_found' },
      remedy: null,
    });
    expect(decided(found)).toEqual({ failed: ['upstream'], open: [] });
  });

  test('a path that does not exist', async () => {
    const key = await restricted();
    const found = await findRequest(dashboard, await fail('GET', '/v2/orders', { key: key.keyString }));
    expect(found).toMatchObject({ status: 404, reason: 'no_route', route: null, requiredScope: null });
    expect(decided(found).failed).toEqual(['route']);
  });

  test('a key that was deleted later, which keeps its name', async () => {
    const key = await restricted();
    const id = await fail('GET', '/v2/businesses/me', { key: key.keyString });
    await findRequest(dashboard, id);
    await platform.deleteKey(key);
    expect(await findRequest(dashboard, id)).toMatchObject({
      credential: { id: key.id, caller: { name: 'Till', exists: false } },
      remedy: { page: 'api_keys', id: null },
    });
  });

  test('one with an unknown credential, only by its exact id and in no list', async () => {
    const stranger = createCheckedToken('sk');
    const id = await fail('GET', '/v2/order', { key: stranger });
    const found = await findRequest(dashboard, id);
    expect(found).toMatchObject({ credential: null, reason: 'unknown', remedy: { page: 'api_keys' } });
    expect(decided(found).failed).toEqual(['found']);
    expect(JSON.stringify(found)).not.toContain(stranger.slice(3, 20));
    expect((await findRequest(dashboard, id.toUpperCase())).id).toBe(id);
    const { requests } = await listRequests(dashboard);
    expect(requests.map((request) => request.id)).not.toContain(id);
  });
});

describe('a request that is not valid', () => {
  const order = { currency: 'EUR', line_items: [{ name: 'Tea', quantity: 1, unit_amount: 450 }] };
  const json = (body: string) => ({ body, headers: { 'Content-Type': 'application/json' } });
  const sent: readonly [string, string, string, RequestOptions][] = [
    ['invalid_json', 'The body is not valid JSON.', 'POST /v2/order', json('{"currency":')],
    ['invalid_json', 'The body is not valid JSON at “a.b”.', 'POST /v2/order', json('{"a":{"b":1,"b":2}}')],
    ['invalid_query', 'The query parameter “limit” is not valid.', 'GET /v2/order?limit=0', {}],
    ['invalid_query', 'The query parameter “color” is not valid.', 'HEAD /v2/events?color=red', {}],
    ['invalid_body', 'The field “customer” is missing or not valid.', 'POST /v2/order', { body: order }],
    ['invalid_body', 'The body is missing or not valid.', 'PATCH /v2/order/ord_1', { body: {} }],
    [
      'invalid_header',
      'The header “If-Match” is not valid.',
      'PATCH /v2/order/ord_1',
      { body: { status: 'paid' }, headers: { 'If-Match': 'x' } },
    ],
  ];

  test('is shown with its invalid part, found by filters, and has no internal header in its response', async () => {
    const ada = await signUp(platform);
    const dashboard = await open(ada);
    const { keyString: key } = await platform.createKey({ businessId: ada.businessId });
    const idsByReason = new Map<string, string[]>();
    for (const [reason, problem, line, options] of sent) {
      const [method = '', path = ''] = line.split(' ');
      const response = await platform.request(0, method, path, { key, ...options });
      expect(response.status).toBe(400);
      expect(response.headers).not.toHaveProperty(invalidInputHeader);
      const id = String(response.headers['x-request-id']);
      expect(await findRequest(dashboard, id)).toMatchObject({
        reason,
        explanation: { problem, help: '/docs/errors#bad_request' },
      });
      idsByReason.set(reason, [...(idsByReason.get(reason) ?? []), id]);
    }
    const damaged = {
      body: 'x',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    };
    const unnamed = await fail('POST', '/v2/order', { key, ...damaged });
    expect(await findRequest(dashboard, unnamed)).toMatchObject({ status: 400, reason: null });
    const missing = await fail('GET', '/v2/order/ord_nothing', { key });
    await findRequest(dashboard, missing);
    const large = await fail('POST', '/v2/order', {
      key,
      body: JSON.stringify({ note: 'x'.repeat(300_000) }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await findRequest(dashboard, large)).toMatchObject({ status: 413 });
    const found = async (reason: string) =>
      (await listRequests(dashboard, { reason })).requests.map(({ id }) => id).sort();
    for (const [reason, ids] of idsByReason) expect(await found(reason)).toEqual(ids.sort());
    expect(await found('invalid_request')).toEqual([unnamed, ...[...idsByReason.values()].flat()].sort());
    expect(await found('not_found')).toEqual([missing]);
    expect(await found('body_too_large')).toEqual([large]);
    expect((await listRequests(dashboard, { reason: 'not_found', status: '500' })).requests).toEqual([]);
    const failures = await listRequests(dashboard, { reason: 'invalid_request', status: '5xx' });
    expect(failures.requests).toEqual([]);
  });

  test('is explained separately if its Content-Type is not JSON', async () => {
    const ada = await signUp(platform);
    const { keyString: key } = await platform.createKey({ businessId: ada.businessId });
    const id = await fail('POST', '/v2/order', { key, body: 'a=1' });
    expect(await findRequest(await open(ada), id)).toMatchObject({
      status: 415,
      reason: 'invalid_header',
      title: 'The body is not JSON',
      explanation: { help: '/docs/errors#unsupported_media_type' },
    });
  });

  test('cannot be faked with a header of the client', async () => {
    const ada = await signUp(platform);
    const { keyString: key } = await platform.createKey({ businessId: ada.businessId });
    const headers = { [invalidInputHeader]: 'invalid_query limit' };
    const id = await fail('GET', '/v2/order/ord_nothing', { key, headers });
    expect(await findRequest(await open(ada), id)).toMatchObject({ status: 404, reason: null });
  });
});

describe('access:', () => {
  test('a request of another business is not found in any way', async () => {
    const [ada, eve] = [await signUp(platform), await signUp(platform)];
    const key = await platform.createKey({ businessId: ada.businessId });
    const id = await fail('GET', '/v2/order/ord_nothing', { key: key.keyString });
    await findRequest(await open(ada), id);
    const dashboard = await open(eve);
    const response = await dashboard.own('GET', `/requests/${id}`);
    expect([response.status, response.json()]).toMatchObject([404, { reason: 'request_not_on_record' }]);
    expect((await listRequests(dashboard)).requests).toEqual([]);
    expect((await listRequests(dashboard, { credential: key.id })).requests).toEqual([]);
    for (const path of ['/requests', `/requests/${id}`]) {
      expect((await dashboard.call('GET', `/businesses/${ada.businessId}${path}`)).status).toBe(404);
    }
  });

  test('members may see requests', async () => {
    const [ada, mary] = [await signUp(platform), await signUp(platform)];
    await joinBusiness(platform, mary, ada.businessId, 'developer');
    const { call } = await open(mary);
    expect((await call('GET', `/businesses/${ada.businessId}/requests`)).status).toBe(200);
  });

  test.each([randomUUID(), 'nothing', 'a.b', '%27'])(
    'no request is found for the invalid id %s',
    async (id) => {
      const ada = await signUp(platform);
      expect((await (await open(ada)).own('GET', `/requests/${id}`)).status).toBe(404);
    },
  );
});
