import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { orderBody } from '../harness/business-platform.ts';
import { type FeedEvent, feedPage, readFeed } from '../harness/event-feed.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { logLines } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * GET /v2/events through the gateway: who may read, and requests that wait. tests/system/event-feed.test.ts has the rest.
 */

const [usual, ending] = [0, 1];
/** Milliseconds of silence after which the gateway gives an upstream up. */
const upstreamTimeoutMs = 5_000;

const platform = running(() =>
  sharedBehind({
    gateways: 2,
    gatewayEnv: { UPSTREAM_TIMEOUT_MS: String(upstreamTimeoutMs), TRUSTED_PROXIES: '127.0.0.1' },
  }),
);

const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const get = (key: string, query = '', gateway = usual, timeoutMs = 35_000) =>
  platform.request(gateway, 'GET', `/v2/events?${query}`, { key, timeoutMs });
const typesOf = (events: readonly FeedEvent[]) => [...new Set(events.map(({ type }) => type))];

/** A business of the test's own with a key of all scopes. */
async function newBusiness() {
  const businessId = await platform.createVerifiedBusiness('feed');
  const key = await platform.createKey({ businessId });
  const order = async () => {
    const response = await platform.request(usual, 'POST', '/v2/order', {
      key: key.keyString,
      body: orderBody,
    });
    expect(response.status).toBe(201);
  };
  const cursor = async () => (await readFeed((query) => get(key.keyString, query), 'limit=100')).cursor;
  return { businessId, key, order, cursor };
}

describe('a credential reads', () => {
  test('every type with a secret key, and the types of its scopes with a restricted one', async () => {
    const { businessId, key, order } = await newBusiness();
    await order();
    const { events } = await readFeed((query) => get(key.keyString, query), 'limit=2');
    expect(events.map(({ sequence }) => sequence)).toEqual(range(1, 4));
    const scopes = ['events:read', 'orders:read'];
    const restricted = await platform.createKey({ type: 'restricted', businessId, scopes });
    const response = await get(restricted.keyString);
    expect(feedPage(response).data).toMatchObject([{ type: 'order.created', sequence: 4, previous: 0 }]);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-ratelimit-remaining': expect.any(String),
    });
    const denied = await get(restricted.keyString, 'types=business.verified');
    expect([denied.status, denied.text]).toEqual([403, '{"status":"Forbidden","code":403}']);
    expect(denied.headers['www-authenticate']).toContain('scope="business:read"');
  });

  test('its own business with an access token, by the scopes that were approved', async () => {
    const owner = await signUpVerified(platform);
    const withoutConnections = async (token: string) =>
      feedPage(await get(token)).data.filter(({ type }) => !type.startsWith('application.'));
    const { businessId } = platform;
    const scopes = ['business:read', 'events:read', 'orders:read'];
    const application = await platform.createApplication({ businessId, scopes });
    const all = await connect(platform, owner.browser, application);
    const data = await withoutConnections(all.accessToken);
    expect(typesOf(data)).toEqual([
      'business.created',
      'business.verification_submitted',
      'business.verified',
    ]);
    expect(data.every((event) => event.data.id === owner.businessId)).toBe(true);
    const narrow = await connect(platform, owner.browser, application, { scope: 'events:read orders:read' });
    expect(await withoutConnections(narrow.accessToken)).toEqual([]);
    const without = await connect(platform, owner.browser, application, {
      scope: 'orders:read business:read',
    });
    const denied = await get(without.accessToken);
    expect([denied.status, denied.headers['www-authenticate']]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="events:read"',
    ]);
  });

  test('no other business, regardless of the cursor', async () => {
    const [one, another] = [await newBusiness(), await newBusiness()];
    const response = await get(one.key.keyString, `after=${await another.cursor()}`);
    expect([response.status, response.json()]).toEqual([
      400,
      { error: 'after: is not a cursor of this business', status: 'Bad Request', code: 400 },
    ]);
  });
});

describe('a request that waits', () => {
  test('longer than the upstream timeout gets the next event, and counts once', async () => {
    const { key, order, cursor } = await newBusiness();
    const after = await cursor();
    const waiting = get(key.keyString, `after=${after}&wait=30`);
    // Counted by then.
    await expectEventually(async () => expect(await inFlight()).toBe(1), { withinMs: 3_000 });
    const remaining = async () =>
      Number((await platform.me(key.keyString, usual)).headers['x-ratelimit-remaining']);
    const before = await remaining();
    // Silent until here: the response to this one is the longer wait.
    expect(feedPage(await get(key.keyString, `after=${after}&wait=8`)).data).toEqual([]);
    await order();
    expect(feedPage(await waiting).data).toMatchObject([{ type: 'order.created', sequence: 4 }]);
    expect(await remaining()).toBe(before - 3);
  });

  test.each([
    ['a deleted key', 401, '{"error":"Invalid API key","status":"Unauthorized","code":401}'],
    ['a key without the scope', 403, '{"status":"Forbidden","code":403}'],
  ])('with %s ends within seconds, without an event', async (change, status, text) => {
    const [{ businessId, cursor }, other] = [await newBusiness(), await newBusiness()];
    const scopes = ['events:read', 'orders:read'];
    const key = await platform.createKey({ type: 'restricted', businessId, scopes });
    // As long as this one waits, the other one has not ended because its time has.
    let isOver = false;
    const control = get(other.key.keyString, `after=${await other.cursor()}&wait=30`).finally(() => {
      isOver = true;
    });
    await expectEventually(async () => expect(await inFlight()).toBe(1), { withinMs: 3_000 });
    const waiting = get(key.keyString, `after=${await cursor()}&wait=30`);
    await expectEventually(async () => expect(await inFlight()).toBe(2), { withinMs: 3_000 });
    if (change === 'a deleted key') await platform.deleteKey(key);
    else await platform.updateKey(key, { scopes: ['orders:read'] });
    const response = await waiting;
    expect(isOver).toBe(false);
    expect([response.status, response.text]).toEqual([status, text]);
    await other.order();
    expect(feedPage(await control).data).toMatchObject([{ type: 'order.created' }]);
  });

  test('takes one of 16 waiting slots of its credential until the client disconnects, and no other slot', async () => {
    const { key, cursor } = await newBusiness();
    const path = `/v2/events?after=${await cursor()}&wait=30`;
    const sockets = range(0, 16).map(() => {
      const socket = connectSocket(platform.gatewayPorts[usual] ?? 0, '127.0.0.1');
      socket.write(requestBytes('GET', path, [bearerLine(key.keyString)]));
      return socket;
    });
    await expectEventually(async () => expect(await inFlight()).toBe(16), { withinMs: 5_000 });
    const refused = await platform.request(usual, 'GET', path, { key: key.keyString });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect((await platform.request(usual, 'GET', '/v2/order', { key: key.keyString })).status).toBe(200);
    for (const socket of sockets) {
      socket.destroy();
      await once(socket, 'close');
    }
    // Before their 30 seconds have passed.
    await expectEventually(async () => expect(await inFlight()).toBe(0), { withinMs: 1_000 });
    expect((await get(key.keyString, 'wait=30')).status).toBe(200);
  });

  test('takes one of 64 waiting slots of its business over all keys and addresses', async () => {
    const [{ businessId, order, cursor }, other] = [await newBusiness(), await newBusiness()];
    const path = `/v2/events?after=${await cursor()}&wait=30`;
    const keys = await Promise.all(range(0, 5).map(() => platform.createKey({ businessId })));
    const statuses: number[] = [];
    const waiting = keys.flatMap(({ keyString: key }, i) =>
      range(0, 16).map(async () => {
        const headers = { 'X-Forwarded-For': `192.0.2.${i + 1}` };
        const { status } = await platform.request(usual, 'GET', path, { key, headers, timeoutMs: 35_000 });
        statuses.push(status);
      }),
    );
    await expectEventually(() => expect(statuses).toEqual(range(0, 16).map(() => 503)), { withinMs: 5_000 });
    expect(await inFlight()).toBe(64);
    expect((await get(other.key.keyString, 'wait=30')).status).toBe(200);
    await order();
    await Promise.all(waiting);
    expect(statuses.slice(16)).toEqual(range(0, 64).map(() => 200));
  });

  test('gets its page, and a cursor, when business-service stops', async () => {
    const { key, cursor } = await newBusiness();
    const after = await cursor();
    const waiting = range(0, 6).map(() => get(key.keyString, `after=${after}&wait=30`));
    await expectEventually(async () => expect(await inFlight()).toBe(6), { withinMs: 3_000 });
    await Promise.all(platform.businesses.map((business) => business.stop()));
    for (const response of await Promise.all(waiting)) {
      expect([response.status, response.json()]).toEqual([200, { data: [], next_cursor: after }]);
    }
    await Promise.all(platform.businesses.map((business) => business.start()));
    // The clients of this test connect again.
    await expectEventually(newBusiness, { withinMs: 5_000 });
  });

  test('gets 503 when the gateway stops, and is not cut', async () => {
    const { key, cursor } = await newBusiness();
    const waiting = get(key.keyString, `after=${await cursor()}&wait=30`, ending);
    await expectEventually(async () => expect(await inFlight(ending)).toBe(1), { withinMs: 3_000 });
    const gateway = platform.gateways[ending];
    const stopped = gateway?.stop();
    const { status, headers } = await waiting;
    expect([status, headers['retry-after'], headers.connection]).toEqual([503, '1', 'close']);
    await stopped;
    const lines = gateway === undefined ? [] : logLines(gateway);
    const line = lines.find(({ requestId }) => requestId === headers['x-request-id']);
    expect(line?.refusal).toBe('stopping');
  });

  test('gets 504 in the format of the gateway when business-service does not respond', async () => {
    const { key, cursor } = await newBusiness();
    const after = await cursor();
    for (const business of platform.businesses) business.freeze();
    try {
      for (const wait of ['0', '1']) {
        const response = await get(key.keyString, `after=${after}&wait=${wait}`);
        expect([response.status, response.json()]).toEqual([
          504,
          {
            error: 'the service behind the gateway did not respond in time',
            status: 'Gateway Timeout',
            code: 504,
          },
        ]);
      }
    } finally {
      for (const business of platform.businesses) business.thaw();
    }
    expect((await get(key.keyString)).status).toBe(200);
  });
});

/** Requests of the feed in flight at a gateway. */
function inFlight(gateway = usual): Promise<number | undefined> {
  return metricOf(platform.gateways[gateway], 'gateway_upstream_requests', { upstream: 'feed' });
}
