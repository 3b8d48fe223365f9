import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { orderBody } from '../../harness/business-platform.ts';
import { openDashboard } from '../../harness/dashboard.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { connect } from '../../harness/oauth.ts';
import { query } from '../../harness/postgres.ts';
import { brings, named, operations, scopeOf } from './operations.ts';
import {
  application,
  expectDocumented,
  impatient,
  key,
  newOrder,
  orphaned,
  owner,
  platform,
  rawResponse,
  usual,
} from './stage.ts';

/** Operations for API keys and access tokens. */
export function describeOperations(): void {
  describe.each(operations)('$id', (operation) => {
    test('success, with the hour that is left', async () => {
      await brings(operation, operation.success);
    });

    test('400: a request with two credentials', async () => {
      const { keyString } = await platform.createKey({ businessId: owner.businessId });
      const headers = { Authorization: [`Bearer ${keyString}`, `Bearer ${keyString}`] };
      const response = await platform.request(usual, operation.method, operation.path(), {
        headers,
        ...('body' in operation && { body: operation.body }),
      });
      expectDocumented(operation.method, operation.path(), response, 400);
    });

    test('401: nothing, nonsense, and what has ended', async () => {
      for (const bearer of ['nonsense', createCheckedToken('sk'), createCheckedToken('at')]) {
        await brings(operation, 401, { key: bearer });
      }
      const body = 'body' in operation ? { body: operation.body } : {};
      const { method, path } = operation;
      expectDocumented(method, path(), await platform.request(usual, method, path(), body), 401);
    });

    test('403: exactly its documented scope is asked for', async () => {
      const { businessId } = owner;
      const scope = scopeOf(operation);
      const others = ['business:read', 'events:read', 'orders:read', 'orders:write'].filter(
        (each) => each !== scope,
      );
      const without = await platform.createKey({ businessId, type: 'restricted', scopes: others });
      const refused = await brings(operation, 403, { key: without.keyString });
      expect(refused.headers['www-authenticate']).toContain(`scope="${scope}"`);
      const also = 'also' in operation ? operation.also : [];
      const exact = await platform.createKey({ businessId, type: 'restricted', scopes: [scope, ...also] });
      await brings(operation, operation.success, { key: exact.keyString });
    });

    test('429', async () => {
      const limited = await platform.createKey({ businessId: owner.businessId });
      await platform.setKeyLimit(limited, 1);
      await brings(operation, operation.success, { key: limited.keyString });
      await brings(operation, 429, { key: limited.keyString });
    });

    test('502 and 504: no response, or not in time', async () => {
      await brings(operation, 502, { gateway: orphaned });
      platform.businesses[0]?.freeze();
      try {
        await brings(operation, 504, { gateway: impatient });
      } finally {
        platform.businesses[0]?.thaw();
      }
    });

    test('anything else: headers that are too large, or the whole URL of another host', async () => {
      await brings(operation, 431, { headers: { 'X-Large': 'x'.repeat(20_000) } });
      const { method } = operation;
      const path = operation.path();
      const bytes = `${method} http://another.test${path} HTTP/1.1\r\nHost: another.test\r\nContent-Length: 0\r\n\r\n`;
      expectDocumented(method, path, await rawResponse(bytes), 421);
    });
  });

  describe('getRateLimit', () => {
    const path = '/v2/rate-limit';
    const get = async (status: number, sent: Parameters<typeof platform.request>[3]) =>
      expectDocumented('GET', path, await platform.request(usual, 'GET', path, sent), status);

    test('success for any credential', async () => {
      const { businessId } = owner;
      const expiresAt = new Date(Date.now() + 3_600_000);
      const narrow = await platform.createKey({
        businessId,
        type: 'restricted',
        scopes: ['events:read'],
        expiresAt,
      });
      for (const each of [key, narrow.keyString]) await get(200, { key: each });
    });

    test('400 for two credentials, and 401 for nonsense', async () => {
      await get(400, { headers: { Authorization: [`Bearer ${key}`, `Bearer ${key}`] } });
      await get(401, { key: 'nonsense' });
    });

    test('anything else: headers that are too large', async () => {
      await get(431, { key, headers: { 'X-Large': 'x'.repeat(20_000) } });
    });

    test('403 where the business is frozen', async () => {
      const dashboard = await openDashboard(owner, owner.browser);
      await dashboard.own('PUT', '/freeze', { reason: 'a key may have leaked' });
      try {
        await get(403, { key });
      } finally {
        await dashboard.own('DELETE', '/freeze');
      }
    });
  });

  describe('expired credentials', () => {
    test('401 for an API key and for an access token', async () => {
      const { businessId } = owner;
      const expired = await platform.createKey({ businessId, expiresAt: new Date(Date.now() + 3_600_000) });
      const { accessToken } = await connect(platform, owner.browser, application);
      const past = "now() - interval '5 minutes'";
      const { identity } = platform.databases;
      await query(identity, `UPDATE api_keys SET expires_at = ${past} WHERE id = $1`, [expired.id]);
      await query(identity, `UPDATE access_tokens SET expires_at = ${past}`);
      const responses = [
        await brings(named('listOrders'), 401, { key: expired.keyString }),
        await brings(named('listOrders'), 401, { key: accessToken }),
      ];
      expect(responses.map((response) => response.json())).toMatchObject([
        { error: 'API key has expired' },
        { error: 'Access token has expired' },
      ]);
    });
  });

  describe('403 for other reasons than the scope', () => {
    test('an address that is not on the whitelist', async () => {
      const elsewhere = await platform.createApplication({ businessId: platform.businessId });
      const { accessToken } = await connect(platform, owner.browser, elsewhere);
      await platform.updateApplication(elsewhere, { ipWhitelist: ['203.0.113.9'] });
      await brings(named('getCurrentBusiness'), 403, { key: accessToken });
    });

    test('a request that a proxy got over http', async () => {
      const headers = { 'X-Forwarded-Proto': 'http' };
      await brings(named('getCurrentBusiness'), 403, { headers, gateway: impatient });
    });

    test('a business that is frozen', async () => {
      const dashboard = await openDashboard(owner, owner.browser);
      await dashboard.own('PUT', '/freeze', { reason: 'a key may have leaked' });
      try {
        await brings(named('createOrder'), 403);
      } finally {
        await dashboard.own('DELETE', '/freeze');
      }
    });

    test('a business that is banned, which may still read itself', async () => {
      await platform.banBusiness(owner.businessId);
      try {
        await expectEventually(() => brings(named('listOrders'), 403), { withinMs: 5_000 });
        await brings(named('getCurrentBusiness'), 200);
      } finally {
        await platform.unbanBusiness(owner.businessId);
      }
    });
  });

  describe('events', () => {
    test('pages, 403 for a type that is not covered, and 410 for a cursor that is too old', async () => {
      const { businessId } = owner;
      const first = await brings(named('listEvents'), 200, { path: '/v2/events?limit=1' });
      const { next_cursor: cursor } = first.json() as { next_cursor: string };
      const path = `/v2/events?after=${cursor}`;
      await brings(named('listEvents'), 200, { path: `${path}&limit=100` });
      const scopes = ['events:read'];
      const narrow = await platform.createKey({ businessId, type: 'restricted', scopes });
      await brings(named('listEvents'), 403, { key: narrow.keyString, path: '/v2/events?types=order.paid' });
      await query(
        platform.databases.business,
        `WITH unguarded AS (SELECT set_config('session_replication_role', 'replica', true))
         UPDATE events SET created_at = created_at - interval '31 days' FROM unguarded
         WHERE business_id = $1 AND sequence <= 2`,
        [businessId],
      );
      await brings(named('listEvents'), 410, { path });
    });
  });

  describe('orders', () => {
    test('201 and 409 with an Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': 'once' };
      const first = await brings(named('createOrder'), 201, { headers });
      const again = await brings(named('createOrder'), 201, { headers });
      expect(again.text).toBe(first.text);
      await brings(named('createOrder'), 409, { headers, body: { ...orderBody, currency: 'USD' } });
    });

    test('202 for an erasure that webhook-service has not confirmed', async () => {
      const customer = { name: 'Grace', email: 'grace@example.com' };
      await brings(named('createOrder'), 201, { body: { ...orderBody, customer } });
      const [webhooks] = platform.webhooks;
      webhooks?.freeze();
      try {
        await brings(named('eraseCustomer'), 202, { path: '/v2/customers?email=grace%40example.com' });
      } finally {
        webhooks?.thaw();
      }
    });

    test('every state, and 409 for a step that there is not', async () => {
      const path = `/v2/order/${await newOrder()}`;
      for (const status of ['paid', 'fulfilled'])
        await brings(named('changeOrder'), 200, { path, body: { status } });
      await brings(named('getOrder'), 200, { path });
      await brings(named('changeOrder'), 409, { path, body: { status: 'paid' } });
      const cancelled = `/v2/order/${await newOrder()}`;
      await brings(named('changeOrder'), 200, { path: cancelled, body: { status: 'cancelled' } });
      await brings(named('changeOrder'), 409, { path: cancelled, body: { status: 'paid' } });
    });

    test.each(['getCurrentBusiness', 'getOrder'] as const)('%s: 304 and 412', async (id) => {
      const { headers } = await brings(named(id), 200);
      await brings(named(id), 304, { headers: { 'If-None-Match': String(headers.etag) } });
      await brings(named(id), 412, { headers: { 'If-Match': '"other"' } });
    });

    test('412 for a change of an order that is another by now', async () => {
      const path = `/v2/order/${await newOrder()}`;
      const { headers } = await brings(named('getOrder'), 200, { path });
      const changed = { path, headers: { 'If-Match': String(headers.etag) }, body: { status: 'paid' } };
      await brings(named('changeOrder'), 200, changed);
      await brings(named('changeOrder'), 412, changed);
    });

    test('400 names what is wrong with a parameter', async () => {
      await brings(named('listOrders'), 400, { path: '/v2/order?limit=0' });
    });

    test('pages, first and last', async () => {
      const first = await brings(named('listOrders'), 200, { path: '/v2/order?limit=1' });
      const { next_cursor: cursor } = first.json() as { next_cursor: string };
      expect(cursor).toEqual(expect.any(String));
      const last = await brings(named('listOrders'), 200, { path: `/v2/order?limit=100&cursor=${cursor}` });
      expect(last.json()).toMatchObject({ next_cursor: null });
    });

    test.each(['getOrder', 'changeOrder'] as const)('%s: 404', async (id) => {
      for (const path of ['/v2/order/nothing', `/v2/order/ord_${'0'.repeat(20)}`]) {
        await brings(named(id), 404, { path });
      }
    });

    test.each(['createOrder', 'changeOrder'] as const)(
      '%s: 400, 411, 413 and 415 for its body',
      async (id) => {
        const operation = named(id);
        await brings(operation, 400, { body: '{', headers: { 'Content-Type': 'application/json' } });
        await brings(operation, 413, { body: { metadata: { a: 'x'.repeat(300_000) } } });
        await brings(operation, 415, { headers: { 'Content-Type': 'text/plain' } });
        const head = `${operation.method} ${operation.path()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
        expectDocumented(operation.method, operation.path(), await rawResponse(head), 411);
      },
    );

    test('a business that is no more: 404', async () => {
      const { id, keyString } = await platform.createKey();
      const moved = 'UPDATE api_keys SET business_id = 2000000000 WHERE id = $1';
      await platform.sql(moved, [id]);
      await brings(named('getCurrentBusiness'), 404, { key: keyString });
    });
  });
}
