import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { cutOff, json, type Step, scriptedServer } from '../testing/scripted-server.ts';
import { Client } from './client.ts';
import { ConnectionError, PermissionError, RateLimitError, ServerError } from './errors.ts';

const order = { currency: 'EUR', line_items: [], customer: { name: 'Ada' } };
const unavailable = json(503, {}, { 'Retry-After': '0' });
const open = async (...steps: readonly [Step, ...Step[]]) => {
  const { baseUrl, seen } = await scriptedServer(...steps);
  const client = new Client({ baseUrl, credential: 'sk_1', timeoutMs: 2_000, maxPauseMs: 2_000 });
  return { client, seen };
};

describe('a request', () => {
  test('has the credential, the path and the query of its operation', async () => {
    const { client, seen } = await open(json(200, { id: 'ord_1' }, { etag: '"e"' }));
    const { data, status, headers } = await client.request('GET /v2/order/{id}', { path: { id: 'a/b' } });
    expect([data, status, headers.get('etag')]).toEqual([{ id: 'ord_1' }, 200, '"e"']);
    const query = { types: ['order.paid' as const, 'order.created' as const], limit: 3 };
    await client.request('GET /v2/events', { query });
    expect(seen.map(({ path }) => decodeURIComponent(path))).toEqual([
      '/v2/order/a/b',
      '/v2/events?types=order.paid,order.created&limit=3',
    ]);
    expect(seen[0]).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer sk_1' } });
    expect(seen[0]?.path).toBe('/v2/order/a%2Fb');
  });

  test('outside of /v2 has no credential', async () => {
    const { client, seen } = await open(json(200, { keys: [] }));
    const path = { endpoint_id: 'whe_1' };
    await client.request('GET /.well-known/webhook-keys/{endpoint_id}', { path });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('is refused by the compiler where the document does not have it', () => {
    const check = (client: Client) => [
      // @ts-expect-error: no such operation
      client.request('GET /v2/orders'),
      // @ts-expect-error: the path needs an id
      client.request('GET /v2/order/{id}'),
      // @ts-expect-error: no such filter
      client.request('GET /v2/order', { query: { state: 'paid' } }),
      // @ts-expect-error: a body is missing
      client.request('POST /v2/order', {}),
      client.request('PATCH /v2/order/{id}', { path: { id: '' }, body: { status: 'paid' } }),
    ];
    expect(check).toBeInstanceOf(Function);
  });
});

/** Repeated, they change nothing more. */
const idempotent = ['/v2/keys/self-revoke', '/v2/leaks', '/v2/leaks/github'];

test('each POST of the document may be repeated with an Idempotency-Key, or as it is', () => {
  const file = new URL('../../../api/platform.yaml', import.meta.url);
  const { paths } = parse(readFileSync(file, 'utf8'));
  const posts = Object.entries<Record<string, { parameters?: unknown }>>(paths).filter(
    ([path, operations]) =>
      'post' in operations && !path.startsWith('/v2/oauth/') && !idempotent.includes(path),
  );
  expect(posts.length).toBeGreaterThan(0);
  for (const [path, { post }] of posts) {
    const parameters = JSON.stringify(post?.parameters ?? []);
    expect([path, parameters]).toEqual([path, expect.stringContaining('IdempotencyKey')]);
  }
});

describe('a request is repeated', () => {
  test.each([
    ['a lost response', cutOff],
    ['a 503', unavailable],
    ['a 429', json(429, {}, { 'Retry-After': '0' })],
  ])('after %s, a POST with the Idempotency-Key of the first', async (_, trouble) => {
    const { client, seen } = await open(trouble, json(201, { id: 'ord_1' }));
    expect((await client.request('POST /v2/order', { body: order })).data.id).toBe('ord_1');
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([order, order]);
  });

  test.each([
    ['a lost response', cutOff, ConnectionError],
    ['a 503', unavailable, ServerError],
  ])('never after %s to a PATCH, which may have changed the order', async (_, trouble, Class) => {
    const { client, seen } = await open(trouble);
    const change = { path: { id: 'ord_1' }, body: { status: 'paid' } } as const;
    await expect(client.request('PATCH /v2/order/{id}', change)).rejects.toBeInstanceOf(Class);
    expect(seen).toHaveLength(1);
  });

  test('after the seconds of Retry-After, unless they are more than the longest pause', async () => {
    const { client, seen } = await open(json(429, {}, { 'Retry-After': '1' }), json(200, {}));
    const begun = performance.now();
    await client.request('GET /v2/rate-limit');
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
    expect(seen).toHaveLength(2);

    const { client: second, seen: asked } = await open(json(429, {}, { 'Retry-After': '312' }));
    const refused = second.request('GET /v2/rate-limit');
    await expect(refused).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 312_000 });
    await expect(refused).rejects.toBeInstanceOf(RateLimitError);
    expect(asked).toHaveLength(1);
  });

  test('four times and no more', async () => {
    const { client, seen } = await open(unavailable);
    await expect(client.request('GET /v2/businesses/me')).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(5);
  });
});

describe('a request ends', () => {
  test('at its time limit, also when the body stays away', async () => {
    const { baseUrl } = await scriptedServer((res) => res.writeHead(200).write('{'));
    const client = new Client({ baseUrl, credential: 'sk_1', timeoutMs: 50, retries: 0 });
    const { cause } = await client.request('GET /v2/rate-limit').catch((error) => error);
    expect(cause.name).toBe('TimeoutError');
  });

  test('with the signal, in a pause as well', async () => {
    const { client, seen } = await open(json(503, {}, { 'Retry-After': '2' }));
    const end = new AbortController();
    const request = client.request('GET /v2/rate-limit', { signal: end.signal });
    setTimeout(() => end.abort(new Error('enough')), 50);
    await expect(request).rejects.toThrow('enough');
    expect(seen).toHaveLength(1);
  });
});

test('an error names its status, its code, the request and the page that explains it', async () => {
  const headers = { 'X-Request-Id': 'r-1', Link: '</docs/errors#insufficient_scope>; rel="help"' };
  const { client } = await open(json(403, { status: 'Forbidden', code: 403 }, headers));
  const error = await client.request('GET /v2/order').catch((error) => error);
  expect(error).toBeInstanceOf(PermissionError);
  expect(error).toMatchObject({
    name: 'PermissionError',
    status: 403,
    code: 'insufficient_scope',
    requestId: 'r-1',
    help: expect.stringMatching(/^http:\/\/127.*\/docs\/errors#insufficient_scope$/),
    message: '403 insufficient_scope: no message',
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a list', () => {
  const page = (ids: readonly string[], next_cursor: string | null) =>
    json(200, { data: ids.map((id) => ({ id })), next_cursor });

  test('of orders is read until the cursor is null, with the same filters', async () => {
    const { client, seen } = await open(page(['a', 'b'], 'c+1'), page(['c'], null));
    const orders = await all(client.each('GET /v2/order', { query: { status: 'paid' } }));
    expect(orders.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(seen.map(({ path }) => path)).toEqual([
      '/v2/order?limit=100&status=paid',
      '/v2/order?limit=100&status=paid&cursor=c%2B1',
    ]);
  });

  test('of events is read until a page is empty, whose cursor goes on later', async () => {
    const { client, seen } = await open(page(['a'], '1'), page([], '2'));
    const pages = await all(client.pages('GET /v2/events', { query: { after: '0' } }));
    expect(pages.map(({ next_cursor }) => next_cursor)).toEqual(['1', '2']);
    expect(seen.map(({ path }) => path)).toEqual([
      '/v2/events?limit=100&after=0',
      '/v2/events?limit=100&after=1',
    ]);
  });
});

test('a refused access token is renewed once, and the request repeated with the new one', async () => {
  const { baseUrl, seen } = await scriptedServer((res, { headers }) =>
    (headers.authorization === 'Bearer at_2' ? json(200, {}) : json(401, {}))(res, seen[0] ?? never()),
  );
  const renew = async (refused: string) => (refused === 'at_1' ? 'at_2' : 'at_3');
  const client = new Client({ baseUrl, credential: { token: async () => 'at_1', renew } });
  expect(await client.request('GET /v2/rate-limit')).toMatchObject({ status: 200 });
  const dead = new Client({ baseUrl, credential: { token: async () => 'at_0', renew } });
  await expect(dead.request('GET /v2/rate-limit')).rejects.toMatchObject({ status: 401 });
  expect(seen).toHaveLength(4);
});

function never(): never {
  throw new Error('no request');
}
