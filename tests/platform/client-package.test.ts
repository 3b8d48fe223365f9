import {
  AuthenticationError,
  CallbackError,
  Client,
  Connection,
  type Fetch,
  MemoryTokenStore,
  OAuth,
  verifyWebhook,
} from '@business-api/client';
import { describe, expect, test } from '@jest/globals';
import { orderBody } from '../harness/business-platform.ts';
import { scopes, startClientPlatform } from '../harness/client-platform.ts';
import { running } from '../harness/running.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks } from '../harness/webhooks.ts';

/* packages/client against the platform of the run, through both of its gateways. */

const world = running(async () => {
  const started = await startClientPlatform();
  return { ...started, close: started.platform.close };
});
const receiver = running(startWebhookReceiver);
const webhooks = running(() => connectWebhooks(world.platform));

const originOf = (gateway: number) => `http://127.0.0.1:${world.platform.gatewayPorts[gateway]}`;

/** Loses every first response of two, after the platform has done what was asked. */
class LossyNetwork {
  sent = 0;
  readonly fetch: Fetch = async (url, init) => {
    this.sent++;
    const response = await fetch(url, init);
    if (this.sent % 2 === 1) throw new TypeError('the response was lost');
    return response;
  };
}

describe('with an API key', () => {
  const clients = async (type: 'secret' | 'restricted' = 'secret', keyScopes: string[] = []) => {
    const businessId = await world.platform.createVerifiedBusiness('client');
    const restricted = type === 'restricted' && { type, scopes: keyScopes };
    const { keyString: credential } = await world.platform.createKey({ businessId, ...restricted });
    return [0, 1].map((gateway) => new Client({ baseUrl: originOf(gateway), credential })) as [
      Client,
      Client,
    ];
  };

  test('each operation does through one gateway what the other then shows', async () => {
    const [first, second] = await clients();
    const { data: created, headers } = await first.request('POST /v2/order', { body: orderBody });
    const path = { id: created.id };
    expect((await second.request('GET /v2/order/{id}', { path })).data).toEqual(created);
    const etag = headers.get('etag') ?? '';
    const paid = { path, headers: { 'If-Match': etag }, body: { status: 'paid' } } as const;
    expect((await second.request('PATCH /v2/order/{id}', paid)).data.status).toBe('paid');
    await expect(first.request('PATCH /v2/order/{id}', paid)).rejects.toMatchObject({
      name: 'ConflictError',
      status: 412,
      code: 'precondition_failed',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const { data: business } = await first.request('GET /v2/businesses/me');
    expect(business.unique_id).toMatch(/^biz_/);
    const { data: limit } = await second.request('GET /v2/rate-limit');
    expect(limit.scopes).toContain('orders:write');
    const types = [];
    for await (const event of second.each('GET /v2/events', { query: { limit: 1 } })) types.push(event.type);
    expect(types.slice(-2)).toEqual(['order.created', 'order.paid']);
  });

  test('every page of orders is read', async () => {
    const [first, second] = await clients();
    for (let count = 0; count < 5; count++) await first.request('POST /v2/order', { body: orderBody });
    const numbers = [];
    for await (const { number } of second.each('GET /v2/order', { query: { limit: 2 } }))
      numbers.push(number);
    expect(numbers).toEqual([1005, 1004, 1003, 1002, 1001]);
  });

  test('an order whose response is lost is created once', async () => {
    const businessId = await world.platform.createVerifiedBusiness('client');
    const { keyString: credential } = await world.platform.createKey({ businessId });
    const network = new LossyNetwork();
    const client = new Client({ baseUrl: originOf(0), credential, fetch: network.fetch });
    const { data } = await client.request('POST /v2/order', { body: orderBody });
    expect([data.number, network.sent]).toEqual([1001, 2]);
    const orders = await client.request('GET /v2/order');
    expect(orders.data.data).toHaveLength(1);
  });

  test('a refusal says what is missing, and where that is explained', async () => {
    const [client] = await clients('restricted', ['business:read']);
    await expect(client.request('GET /v2/order')).rejects.toMatchObject({
      name: 'PermissionError',
      code: 'insufficient_scope',
      help: `${originOf(0)}/docs/errors#insufficient_scope`,
    });
  });
});

describe('as an application', () => {
  const oauthWith = (fetch?: Fetch) =>
    new OAuth({ baseUrl: world.platform.publicUrl, ...world.application, ...(fetch && { fetch }) });
  const begin = () => oauthWith().begin({ scope: scopes.join(' ') });
  const connect = async () => {
    const { url, pending } = await begin();
    return oauthWith().finish(await world.visit(url), pending);
  };

  test('a business connects, and is read through both gateways', async () => {
    const tokens = await connect();
    expect(tokens.scope).toBe(scopes.join(' '));
    const credential = new Connection(oauthWith(), new MemoryTokenStore(tokens));
    for (const gateway of [0, 1]) {
      const client = new Client({ baseUrl: originOf(gateway), credential });
      expect((await client.request('GET /v2/businesses/me')).data.id).toBe(world.businessId);
    }
  });

  test('a denial, and a callback of another platform, end in errors that tell them apart', async () => {
    const { url, pending } = await begin();
    const denied = await world.visit(url, 'deny');
    expect(() => oauthWith().readCallback(denied, pending)).toThrow(
      expect.objectContaining({ code: 'access_denied' }),
    );
    denied.searchParams.set('iss', 'https://evil.example');
    const check = () => oauthWith().readCallback(denied, pending);
    expect(check).toThrow(CallbackError);
    expect(check).toThrow(expect.objectContaining({ code: undefined }));
  });

  test('a refresh whose response is lost costs nothing, and two processes make one', async () => {
    const tokens = await connect();
    const network = new LossyNetwork();
    const store = new MemoryTokenStore(tokens);
    const processes = [0, 1].map(() => new Connection(oauthWith(network.fetch), store));
    const renewed = await Promise.all(processes.map((each) => each.renew(tokens.accessToken)));
    expect(new Set(renewed).size).toBe(1);
    expect(network.sent).toBe(2);
    expect(await world.apiStatuses(renewed[0] ?? '')).toEqual([200, 200]);
  });

  test('an access token that has ended is replaced under way', async () => {
    const tokens = await connect();
    await oauthWith().revoke(tokens.accessToken, 'access_token');
    const store = new MemoryTokenStore(tokens);
    const client = new Client({ baseUrl: originOf(1), credential: new Connection(oauthWith(), store) });
    expect((await client.request('GET /v2/businesses/me')).data.id).toBe(world.businessId);
    expect((await store.load()).refreshToken).not.toBe(tokens.refreshToken);
  });

  test('a revocation ends the approval at every gateway', async () => {
    const connection = new Connection(oauthWith(), new MemoryTokenStore(await connect()));
    const token = await connection.token();
    await connection.revoke();
    for (const gateway of [0, 1]) {
      const client = new Client({ baseUrl: originOf(gateway), credential: token });
      await expect(client.request('GET /v2/businesses/me')).rejects.toBeInstanceOf(AuthenticationError);
    }
    await expect(connection.renew(token)).rejects.toMatchObject({ code: 'invalid_grant' });
  });
});

test('a delivery is verified by its secret, and by the public key of its endpoint', async () => {
  const owner = { businessId: world.platform.businessId, applicationId: '' };
  const { id, secret } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
  const { keyString: credential } = await world.platform.createKey();
  const client = new Client({ baseUrl: originOf(0), credential });
  const customer = { name: 'Zoë 東京 🧾' };
  const { data: order } = await client.request('POST /v2/order', { body: { ...orderBody, customer } });
  await awaitReceived(receiver, 1, 10_000);
  const [delivery] = receiver.received;
  const operation = 'GET /.well-known/webhook-keys/{endpoint_id}';
  const { data: set } = await client.request(operation, { path: { endpoint_id: id } });
  const publicKeys = set.keys.map((key) => key.public_key);
  for (const keys of [secret, publicKeys]) {
    const event = await verifyWebhook(delivery?.body ?? '', delivery?.headers ?? {}, keys);
    expect(event).toMatchObject({ type: 'order.created', data: { id: order.id, customer } });
  }
  await expect(verifyWebhook(`${delivery?.body} `, delivery?.headers ?? {}, secret)).rejects.toThrow();
});
