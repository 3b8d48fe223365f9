import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestKey } from '../harness/api-keys.ts';
import { orderBody } from '../harness/business-platform.ts';
import type { RequestOptions } from '../harness/http-request.ts';
import { startPlatform } from '../harness/platform.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { parseResponses } from '../harness/raw-responses.ts';
import { running } from '../harness/running.ts';

/** ETag, If-None-Match and If-Match (RFC 9110 section 13), through the gateway to two replicas. */

const platform = running(() => startPlatform({ businesses: 2 }));
let key: TestKey;
beforeAll(async () => {
  key = await platform.createKey();
});

const send = (method: string, path: string, options: RequestOptions = {}) =>
  platform.request(0, method, path, { key: key.keyString, ...options });

async function newOrder() {
  const created = await send('POST', '/v2/order', { body: orderBody });
  expect(created.status).toBe(201);
  return { path: String(created.headers.location), tag: String(created.headers.etag), created };
}

const paths: [string, () => Promise<string>][] = [
  ['/v2/businesses/me', async () => '/v2/businesses/me'],
  ['/v2/order/{id}', async () => (await newOrder()).path],
];

describe.each(paths)('GET %s', (_, pathOf) => {
  let path: string;
  let tag: string;
  beforeAll(async () => {
    path = await pathOf();
    tag = String((await send('GET', path)).headers.etag);
  });

  test('has an ETag, and may be stored by a caller that revalidates it each time', async () => {
    const responses = await Promise.all(Array.from({ length: 6 }, () => send('GET', path)));
    for (const { status, headers } of responses) {
      expect([status, headers.etag]).toEqual([200, tag]);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(headers.vary).toBe('Authorization, Origin');
    }
    expect(tag).toMatch(/^"[\w-]+"$/);
    const head = await send('HEAD', path);
    expect([head.status, head.headers.etag, head.text]).toEqual([200, tag, '']);
  });

  test.each([
    ['the tag', (current: string) => current],
    ['the tag as a proxy that compresses makes it', (current: string) => `W/${current}`],
    ['a list with it', (current: string) => `"a,b", W/"other" ,, ${current}`],
    ['*', () => '*'],
  ])('is 304 without a body for %s', async (_name, validatorFor) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await send(method, path, { headers: { 'If-None-Match': validatorFor(tag) } });
      expect([method, response.status, response.text]).toEqual([method, 304, '']);
      expect(response.headers).toMatchObject({
        etag: tag,
        'cache-control': 'private, no-cache',
        vary: 'Authorization, Origin',
        'x-request-id': expect.any(String),
      });
      expect(response.headers['content-type']).toBeUndefined();
      expect(response.headers['transfer-encoding']).toBeUndefined();
    }
  });

  test('is 304 for its ETag in the second of two header lines', async () => {
    const headers = { 'If-None-Match': ['"other"', tag] };
    expect((await send('GET', path, { headers })).status).toBe(304);
  });

  test('keeps the connection usable after a 304', async () => {
    const get = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.keyString}\r\n`;
    const bytes = `${get}If-None-Match: ${tag}\r\n\r\n${get}Connection: close\r\n\r\n`;
    const { text } = await rawRequest(platform.gatewayPorts[0] ?? 0, bytes, { responses: 2 });
    expect(parseResponses(text).map(({ status }) => status)).toEqual([304, 200]);
  });

  test.each([
    ['another tag', '"other"'],
    ['another weak tag', 'W/"other"'],
    ['a word', 'nonsense'],
    ['one quote', '"'],
    ['an empty tag', '""'],
    ['a tag without its end', '"unfinished'],
    ['a comma', ','],
    ['two asterisks', '*, *'],
    ['SQL', "' OR 1=1 --"],
    ['letters beyond ASCII', '"\u00e9"'],
    ['ten thousand characters', `"${'x'.repeat(10_000)}"`],
    ['many tags', '"a",'.repeat(2_500)],
    ['many quotes', '",'.repeat(5_000)],
  ])('returns the whole record for %s', async (_name, value) => {
    const response = await send('GET', path, { headers: { 'If-None-Match': value } });
    expect([response.status, response.headers.etag]).toEqual([200, tag]);
    expect(response.json()).toEqual((await send('GET', path)).json());
  });

  test('returns the whole record for its ETag next to an invalid one', async () => {
    const response = await send('GET', path, { headers: { 'If-None-Match': `${tag}, nonsense` } });
    expect([response.status, response.headers.etag]).toEqual([200, tag]);
    expect(response.json()).toEqual((await send('GET', path)).json());
  });

  test('accepts a list of ETags up to the header limit of the gateway, and refuses a longer one with 431', async () => {
    const listOf = (length: number) => `${'"x", '.repeat((length - tag.length) / 5)}${tag}`;
    const fits = await send('GET', path, { headers: { 'If-None-Match': listOf(15_800) } });
    expect(fits.status).toBe(304);
    const tooLarge = await send('GET', path, { headers: { 'If-None-Match': listOf(17_000) } });
    expect(tooLarge.json()).toMatchObject({ code: 431 });
  });

  test('is 412 if If-Match names another state, and 400 if it is not a list', async () => {
    const ask = async (value: string) => send('GET', path, { headers: { 'If-Match': value } });
    expect((await ask(tag)).status).toBe(200);
    expect((await ask('"other"')).json()).toMatchObject({ code: 412 });
    expect((await ask('nonsense')).json()).toMatchObject({ code: 400 });
  });
});

describe('a conditional request', () => {
  test('counts toward the limit, even with a 304', async () => {
    const limited = await platform.createKey();
    await platform.setKeyLimit(limited, 2);
    const ask = () =>
      platform.request(0, 'GET', '/v2/businesses/me', {
        key: limited.keyString,
        headers: { 'If-None-Match': '*' },
      });
    const [first, second, third] = [await ask(), await ask(), await ask()];
    expect([first.status, second.status, third.status]).toEqual([304, 304, 429]);
    expect([first, second].map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0']);
  });

  test('is 401 or 403 without the necessary credential', async () => {
    const headers = { 'If-None-Match': '*', 'If-Match': '*' };
    expect((await platform.request(0, 'GET', '/v2/businesses/me', { headers })).status).toBe(401);
    const without = await platform.createKey({ type: 'restricted', scopes: ['business:read'] });
    const { path } = await newOrder();
    const response = await platform.request(0, 'GET', path, { key: without.keyString, headers });
    expect(response.status).toBe(403);
  });

  test('gets a whole page for *', async () => {
    const response = await platform.request(0, 'GET', '/login', { headers: { 'If-None-Match': '*' } });
    expect([response.status, response.text]).toEqual([200, expect.stringContaining('</html>')]);
  });

  test.each([
    ['/v2/order', '{"data":['],
    ['/v2/events', '{"data":['],
    ['/v2/order/ord_00000000000000000000', '{"error":'],
  ])('gets the whole response without an ETag for *: %s', async (path, begin) => {
    const sent = await send('GET', path);
    const response = await send('GET', path, { headers: { 'If-None-Match': '*' } });
    expect([response.status, response.text]).toEqual([sent.status, sent.text]);
    expect(response.text.startsWith(begin)).toBe(true);
  });

  test('is 404 for orders of another business with every condition', async () => {
    const businessId = await platform.createVerifiedBusiness('other');
    const other = await platform.createKey({ businessId });
    const { path, tag } = await newOrder();
    const missing = await send('GET', '/v2/order/ord_00000000000000000000');
    for (const [name, value] of [
      ['If-None-Match', '*'],
      ['If-None-Match', tag],
      ['If-Match', tag],
      ['If-Match', '"other"'],
    ]) {
      const options = { key: other.keyString, headers: { [name ?? '']: value ?? '' } };
      const read = await platform.request(0, 'GET', path, options);
      const changed = await platform.request(0, 'PATCH', path, { ...options, body: { status: 'paid' } });
      for (const { status, text, headers } of [read, changed]) {
        expect([status, text, headers.etag]).toEqual([404, missing.text, undefined]);
      }
    }
  });
});

describe('PATCH /v2/order/{id}', () => {
  const patch = (path: string, body: unknown, headers: RequestOptions['headers'] = {}) =>
    send('PATCH', path, { body, headers });

  test('with If-Match changes the state that was read, and returns the new ETag', async () => {
    const { path, tag, created } = await newOrder();
    expect((await send('GET', path)).headers.etag).toBe(tag);
    const metadata = { long_name: '1', b: '2', 'another.name': '3' };
    const first = await patch(path, { metadata }, { 'If-Match': tag });
    expect(first.status).toBe(200);
    expect(first.headers.etag).not.toBe(tag);
    expect(created.headers['cache-control']).toBe('no-store');
    expect(first.headers['cache-control']).toBe('no-store');
    const read = await send('GET', path);
    expect(read.headers.etag).toBe(first.headers.etag);
    const weak = `"x", W/${read.headers.etag}`;
    expect((await patch(path, { status: 'paid' }, { 'If-Match': weak })).status).toBe(200);
  });

  test('with If-Match of an earlier state is 412 in the documented format, and changes nothing', async () => {
    const { path, tag } = await newOrder();
    await patch(path, { status: 'paid' });
    const before = await send('GET', path);
    const refused = [
      await patch(path, { status: 'fulfilled' }, { 'If-Match': tag }),
      // A step that there is not, either: the caller learns first that the order is another.
      await patch(path, { status: 'pending' }, { 'If-Match': tag }),
      // Nor is a change that is there already taken for one of this caller.
      await patch(path, { status: 'paid' }, { 'If-Match': tag }),
      await patch(path, { status: 'fulfilled' }, { 'If-None-Match': '*' }),
    ];
    for (const { status, headers, json } of refused) {
      expect([status, json()]).toEqual([
        412,
        { error: expect.any(String), status: 'Precondition Failed', code: 412 },
      ]);
      expect(headers['cache-control']).toBe('no-store');
    }
    expect((await send('GET', path)).text).toBe(before.text);
  });

  test.each(['nonsense', '"unfinished', '', ','])(
    'with If-Match %j is 400, and changes nothing',
    async (value) => {
      const { path, tag } = await newOrder();
      const response = await patch(path, { status: 'paid' }, { 'If-Match': value });
      expect(response.json()).toMatchObject({ code: 400, error: expect.stringContaining('If-Match') });
      expect((await send('GET', path)).headers.etag).toBe(tag);
    },
  );

  test('with If-Match: * or without If-Match changes any state', async () => {
    const { path } = await newOrder();
    expect((await patch(path, { status: 'paid' }, { 'If-Match': '*' })).status).toBe(200);
    expect((await patch(path, { status: 'fulfilled' })).status).toBe(200);
    const nothing = await patch(
      '/v2/order/ord_00000000000000000000',
      { status: 'paid' },
      { 'If-Match': '*' },
    );
    expect(nothing.status).toBe(404);
  });

  test('sent by twelve clients at once with the same ETag is 200 for one and 412 for all others', async () => {
    const { path, tag } = await newOrder();
    for (const body of [{ status: 'paid' }, { metadata: { by: 'one of many' } }]) {
      const { etag = tag } = (await send('GET', path)).headers;
      const responses = await Promise.all(
        Array.from({ length: 12 }, () => patch(path, body, { 'If-Match': etag })),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(11).fill(412)]);
      const [winner] = responses.filter(({ status }) => status === 200);
      expect((await send('GET', path)).text.length).toBe(winner?.text.length);
      expect((await send('GET', path)).headers.etag).toBe(winner?.headers.etag);
    }
  });

  test('loses no change of concurrent writers that read before they write', async () => {
    const { path } = await newOrder();
    const add = async (name: string): Promise<void> => {
      for (;;) {
        const { headers } = await send('GET', path);
        const done = await patch(path, { metadata: { [name]: '1' } }, { 'If-Match': String(headers.etag) });
        if (done.status === 200) return;
        expect(done.status).toBe(412);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, i) => add(`k${i}`)));
    expect((await send('GET', path)).json()).toMatchObject({
      metadata: { k0: '1', k1: '1', k2: '1', k3: '1', k4: '1', k5: '1' },
    });
  });
});

test('a ban changes the ETag of a business', async () => {
  const businessId = await platform.createVerifiedBusiness('banned');
  const { keyString } = await platform.createKey({ businessId });
  const ask = (headers: RequestOptions['headers'] = {}) =>
    platform.request(0, 'GET', '/v2/businesses/me', { key: keyString, headers });
  const { etag = '' } = (await ask()).headers;
  await platform.banBusiness(businessId);
  const response = await ask({ 'If-None-Match': etag });
  expect([response.status, response.json()]).toMatchObject([200, { is_banned: true }]);
});

test('lists and errors have no ETag and may not be stored', async () => {
  for (const path of ['/v2/order', '/v2/order?limit=0', '/v2/order/ord_00000000000000000000']) {
    const { headers } = await send('GET', path, { headers: { 'If-None-Match': '*' } });
    expect([headers.etag, headers['cache-control']]).toEqual([undefined, 'no-store']);
  }
});
