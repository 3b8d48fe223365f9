import { beforeAll, describe, expect, test } from '@jest/globals';
import { orderBody, signPassport, startBusinessPlatform } from '../harness/business-platform.ts';
import { running } from '../harness/running.ts';

const platform = running(startBusinessPlatform);
let orderPath: string;
beforeAll(async () => {
  orderPath = await createOrder();
});

async function createOrder(body: unknown = orderBody): Promise<string> {
  const response = await platform.call('POST', '/order', { body });
  expect(response.status).toBe(201);
  return String(response.headers.location);
}

const json = { 'Content-Type': 'application/json' };
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('GET /businesses/me', () => {
  test('returns exactly the record of contract 2.1', async () => {
    const response = await platform.call('GET', '/businesses/me');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.json()).toEqual({
      id: platform.businessId,
      is_banned: false,
      unique_id: expect.stringMatching(/^biz_[0-9A-Za-z]{20}$/),
      account_holder: 'tea Ltd',
      logo: '',
      username: expect.stringMatching(/^tea-/),
    });
  });

  test('is 404 for a business that does not exist', async () => {
    const passport = await signPassport(2_000_000_000);
    expect((await platform.call('GET', '/businesses/me', { passport })).status).toBe(404);
  });
});

describe('POST /order', () => {
  test('returns 201 with the order and its location', async () => {
    const headers = { 'X-Forwarded-Prefix': '/v2' };
    const response = await platform.call('POST', '/order', { body: orderBody, headers });
    expect(response.status).toBe(201);
    const order = response.json();
    expect(order).toEqual({
      id: expect.stringMatching(/^ord_[0-9A-Za-z]{20}$/),
      number: expect.any(Number),
      status: 'pending',
      currency: 'EUR',
      line_items: [
        { name: 'Tea', sku: 'T-1', quantity: 2, unit_amount: 450 },
        { name: 'Cup', sku: null, quantity: 1, unit_amount: 1_200 },
      ],
      total: 2_100,
      customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
      metadata: { channel: 'web' },
      created_at: timestamp,
      updated_at: timestamp,
      paid_at: null,
      fulfilled_at: null,
      cancelled_at: null,
    });
    const { location } = response.headers;
    expect(location).toBe(`/v2/order/${(order as { id: string }).id}`);
    expect((await platform.call('GET', String(location).slice(3))).json()).toEqual(order);
  });

  test('ignores an invalid prefix in the Location', async () => {
    for (const prefix of ['https://evil.example', '//evil.example', '/v2/../x y']) {
      const response = await platform.call('POST', '/order', {
        body: orderBody,
        headers: { 'X-Forwarded-Prefix': prefix },
      });
      expect(response.headers.location).toMatch(/^\/order\/ord_/);
    }
  });

  test.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'currency=EUR'],
    ['application/json-patch+json', '[]'],
    ['application/json; charset=latin1', '{}'],
    ['application/merge-patch+json', '{}'],
    ['', '{}'],
  ])('refuses Content-Type %j with 415', async (type, body) => {
    const response = await platform.call('POST', '/order', { body, headers: { 'Content-Type': type } });
    expect(response.status).toBe(415);
    expect(response.json()).toEqual({
      error: expect.any(String),
      status: 'Unsupported Media Type',
      code: 415,
    });
  });

  test('refuses an unknown Content-Encoding with 415', async () => {
    const headers = { ...json, 'Content-Encoding': 'zstd-x' };
    expect((await platform.call('POST', '/order', { body: '{}', headers })).status).toBe(415);
  });

  test('refuses a body of more than 256 kB with 413', async () => {
    const body = JSON.stringify({ ...orderBody, note: 'x'.repeat(256 * 1024) });
    const response = await platform.call('POST', '/order', { body, headers: json });
    expect(response.status).toBe(413);
    expect(response.json()).toEqual({ error: expect.any(String), status: 'Payload Too Large', code: 413 });
  });

  test.each([
    ['malformed JSON', '{"currency":'],
    ['no body', ''],
    ['a JSON text', '"EUR"'],
    ['null', 'null'],
    ['an array', '[]'],
    ['arrays in arrays, a hundred thousand deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['deep metadata', `{"metadata":{"a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}}`],
    ['__proto__', '{"__proto__":{"currency":"EUR"},"line_items":[]}'],
    ['a constructor', '{"constructor":{"prototype":{"x":1}}}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a text with a NUL', JSON.stringify({ ...orderBody, customer: { name: 'A\u0000' } })],
    ['half a surrogate pair', JSON.stringify({ ...orderBody, metadata: { a: '\ud83c' } })],
  ])('refuses %s with 400', async (_, body) => {
    const response = await platform.call('POST', '/order', { body, headers: json });
    expect(response.status).toBe(400);
    expect(response.json()).toEqual({ error: expect.any(String), status: 'Bad Request', code: 400 });
  });

  test.each([
    [JSON.stringify(orderBody).replace('{', '{"currency":"USD",'), 'currency: is given twice'],
    [
      JSON.stringify(orderBody).replace('"customer":{', '"customer":{"name":"Bob",'),
      'customer.name: is given twice',
    ],
  ])('refuses a name that is given twice, and names it: %s', async (body, error) => {
    const headers = { ...json, 'Idempotency-Key': 'twice' };
    const response = await platform.call('POST', '/order', { body, headers });
    expect([response.status, response.json()]).toEqual([400, { error, status: 'Bad Request', code: 400 }]);
    // The refused body has not used the key up.
    const once = await platform.call('POST', '/order', { body: orderBody, headers });
    expect(once.status).toBe(201);
  });

  test.each(['application/json;', 'application/json; charset=utf8', 'Application/JSON; odata=verbose'])(
    'reads the Content-Type %j, and a byte order mark',
    async (type) => {
      const body = `\ufeff${JSON.stringify(orderBody)}`;
      const response = await platform.call('POST', '/order', { body, headers: { 'Content-Type': type } });
      expect(response.status).toBe(201);
    },
  );

  test('keeps an internationalized email address as it was sent', async () => {
    const customer = { name: 'Иван', email: 'Пример@пример.рф' };
    const path = await createOrder({ ...orderBody, customer });
    expect((await platform.call('GET', path)).json()).toMatchObject({ customer });
    const change = { customer: { email: 'schäfer2@exämple.de' } };
    expect((await platform.call('PATCH', path, { body: change })).json()).toMatchObject(change);
  });

  test('names the invalid field', async () => {
    const body = { ...orderBody, line_items: [{ name: 'Tea', quantity: 0, unit_amount: 1 }] };
    const response = await platform.call('POST', '/order', { body });
    expect(response.json()).toMatchObject({ error: expect.stringMatching(/^line_items\[0\]\.quantity: /) });
  });

  test.each([
    ['that is empty', ''],
    ['that is too long', 'k'.repeat(256)],
    ['given twice', ['a', 'b']],
  ])('refuses an Idempotency-Key %s with 400', async (_, key) => {
    const headers = { 'Idempotency-Key': key };
    expect((await platform.call('POST', '/order', { body: orderBody, headers })).status).toBe(400);
  });
});

describe('PATCH /order/{id}', () => {
  const patch = (path: string, body: unknown) => platform.call('PATCH', path, { body });

  test('takes an order from pending to paid to fulfilled, with the dates', async () => {
    const path = await createOrder();
    const paid = await patch(path, { status: 'paid' });
    expect(paid.status).toBe(200);
    expect(paid.json()).toMatchObject({ status: 'paid', paid_at: timestamp, fulfilled_at: null });
    const fulfilled = await patch(path, { status: 'fulfilled' });
    expect(fulfilled.json()).toMatchObject({
      status: 'fulfilled',
      paid_at: timestamp,
      fulfilled_at: timestamp,
    });
    expect((await platform.call('GET', path)).json()).toEqual(fulfilled.json());
  });

  test.each([
    ['pending', [], 'fulfilled'],
    ['paid', ['paid'], 'pending'],
    ['cancelled', ['cancelled'], 'paid'],
    ['fulfilled', ['paid', 'fulfilled'], 'cancelled'],
  ])('returns 409 from %s by way of %j to %s, and changes nothing', async (from, way, to) => {
    const path = await createOrder();
    for (const status of way) await patch(path, { status });
    const before = (await platform.call('GET', path)).json();
    const response = await patch(path, { status: to, metadata: { changed: 'yes' } });
    expect(response.status).toBe(409);
    expect(response.json()).toEqual({
      error: `An order that is ${from} cannot become ${to}`,
      status: 'Conflict',
      code: 409,
    });
    expect((await platform.call('GET', path)).json()).toEqual(before);
  });

  test('merges customer and metadata, and null removes', async () => {
    const path = await createOrder({ ...orderBody, metadata: { keep: 'a', drop: 'b' } });
    const body = { customer: { email: null }, metadata: { drop: null, add: 'c' } };
    expect((await patch(path, body)).json()).toMatchObject({
      customer: { name: 'Ada Lovelace', email: null },
      metadata: { keep: 'a', add: 'c' },
    });
  });

  test.each([
    ['nothing', {}],
    ['an unknown field', { total: 1 }],
    ['an unknown status', { status: 'open' }],
    ['null for a status', { status: null }],
    ['an unknown field of the customer', { customer: { phone: '1' } }],
  ])('refuses %s with 400', async (_, body) => {
    expect((await patch(orderPath, body)).status).toBe(400);
  });

  test('takes a JSON merge patch, and Accept-Patch says so', async () => {
    const body = JSON.stringify({ metadata: { merged: 'yes' } });
    const send = (type: string) =>
      platform.call('PATCH', orderPath, { body, headers: { 'Content-Type': type } });
    const merged = await send('application/merge-patch+json; charset=utf-8');
    expect([merged.status, merged.json()]).toMatchObject([200, { metadata: { merged: 'yes' } }]);
    const refused = await send('application/json-patch+json');
    expect([refused.status, refused.json()]).toMatchObject([
      415,
      { error: 'Content-Type must be application/json or application/merge-patch+json' },
    ]);
    for (const { headers } of [merged, refused, await platform.call('GET', orderPath)]) {
      expect(headers['accept-patch']).toBe('application/json, application/merge-patch+json');
    }
  });
});

describe('an order that is not the caller’s', () => {
  test('is 404 to read and to change, like an unknown one', async () => {
    const passport = await signPassport(await platform.businesses.createVerifiedBusiness('other'));
    const missing = await platform.call('GET', '/order/ord_00000000000000000000', { passport });
    for (const [method, body] of [['GET'], ['PATCH', { status: 'paid' }]] as const) {
      const response = await platform.call(method, orderPath, { passport, body });
      expect(response.status).toBe(404);
      expect(response.text).toBe(missing.text);
    }
    expect((await platform.call('GET', '/order', { passport })).json()).toEqual({
      data: [],
      next_cursor: null,
    });
    expect((await platform.call('GET', orderPath)).json()).toMatchObject({ status: 'pending' });
  });

  test.each([
    '/order/1',
    '/order/ord_',
    '/order/ord_%00',
    '/order/ord_0000000000000000000%2F',
    '/order/%F0%9F',
  ])('%s is 400 or 404', async (path) => {
    expect([400, 404]).toContain((await platform.call('GET', path)).status);
  });
});

describe('GET /order', () => {
  test.each([
    ['an unknown parameter', 'page=2', 'page'],
    ['a duplicated parameter', 'limit=5&limit=6', 'limit: '],
    ['a nested parameter', 'limit[gt]=5', 'limit[gt]'],
    ['a limit of none', 'limit=0', 'limit: '],
  ])('refuses %s with 400, naming it', async (_, parameters, name) => {
    const response = await platform.call('GET', `/order?${parameters}`);
    expect(response.status).toBe(400);
    expect(response.json()).toEqual({
      error: expect.stringContaining(name),
      status: 'Bad Request',
      code: 400,
    });
  });

  test('treats empty parameters as absent', async () => {
    const all = await platform.call('GET', '/order');
    const response = await platform.call('GET', '/order?cursor=&status=&limit=&created_from=&page=');
    expect([response.status, response.text]).toEqual([200, all.text]);
    expect((await platform.call('GET', `${orderPath}?expand=`)).status).toBe(200);
  });

  test('accepts RFC 3339 in lower case, and explains how to encode an offset', async () => {
    const within = (time: string) => platform.call('GET', `/order?created_to=${time}`);
    expect((await within('2020-01-01t00:00:00z')).json()).toEqual({ data: [], next_cursor: null });
    expect((await within('2020-01-01T00:00:00%2B02:00')).status).toBe(200);
    const unencoded = await within('2020-01-01T00:00:00+02:00');
    expect([unencoded.status, unencoded.json()]).toMatchObject([
      400,
      { error: expect.stringMatching(/^created_to: .* \+ is written as %2B$/) },
    ]);
  });

  test('refuses parameters on the paths of a single order', async () => {
    expect((await platform.call('GET', `${orderPath}?expand=customer`)).status).toBe(400);
  });
});

describe('paths and methods', () => {
  test.each(['/', '/orders', '/businesses', '/businesses/2', '/Order', '/order/', '/businesses/me/x'])(
    '%s is 404 in the shape of the contract',
    async (path) => {
      const response = await platform.call('GET', path);
      expect([path, response.text]).toEqual([path, '{"error":"Not found","status":"Not Found","code":404}']);
    },
  );

  test.each([
    ['DELETE', '/businesses/me', 'GET, HEAD'],
    ['PUT', '/order', 'GET, HEAD, POST'],
    ['DELETE', '/order/ord_00000000000000000000', 'GET, HEAD, PATCH'],
  ])('%s %s is 405 and lists the allowed methods', async (method, path, allow) => {
    const response = await platform.call(method, path);
    expect(response.headers.allow).toBe(allow);
    expect(response.text).toBe('{"error":"Method not allowed","status":"Method Not Allowed","code":405}');
  });

  test('HEAD is GET without its body', async () => {
    const response = await platform.call('HEAD', '/businesses/me');
    expect([response.status, response.text]).toEqual([200, '']);
  });
});

test('responses carry the request id of the gateway, and may not be stored', async () => {
  const response = await platform.call('GET', '/order', { headers: { 'X-Request-Id': 'req-42' } });
  expect(response.headers['x-request-id']).toBe('req-42');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['x-powered-by']).toBeUndefined();
});
