import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { orderBody } from '../harness/business-platform.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * What the public OpenAPI document lets requests be is what the platform takes: each body and each parameter here is
 * judged by both, and they agree. The examples are requests and responses as documented.
 */

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Parameter {
  readonly name: string;
  readonly schema: { readonly type?: string };
}

const platform = running(sharedPlatform);
let key: string;
let document: Readonly<Record<string, unknown>>;
let ajv: Ajv2020;
beforeAll(async () => {
  key = (await platform.createKey()).keyString;
  document = (await platform.request(0, 'GET', '/docs/openapi.json')).json() as typeof document;
  ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv).addFormat('idn-email', /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u);
  ajv.addSchema(document, 'document');
});

/** Whether the document allows a value. @param pointer to the schema */
const allows = (pointer: string, value: unknown) =>
  ajv.validate({ $ref: `document#${pointer}` }, value) === true;

const send = async (method: string, path: string, options: object = {}) =>
  (await platform.request(0, method, path, { key, ...options })).status;

const [item] = orderBody.line_items;
const withItem = (change: object) => ({ ...orderBody, line_items: [{ ...item, ...change }] });
const withCustomer = (change: object) => ({ ...orderBody, customer: { name: 'Ada', ...change } });
const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));

describe('POST /v2/order', () => {
  const bodies: readonly [string, boolean, unknown][] = [
    ['as in the tests', true, orderBody],
    ['without metadata', true, { ...orderBody, metadata: undefined }],
    ['with an unknown field', false, { ...orderBody, note: 'x' }],
    ['without currency', false, { ...orderBody, currency: undefined }],
    ['a currency in small letters', false, { ...orderBody, currency: 'eur' }],
    ['no line items', false, { ...orderBody, line_items: [] }],
    ['100 line items', true, { ...orderBody, line_items: Array(100).fill(item) }],
    ['101 line items', false, { ...orderBody, line_items: Array(101).fill(item) }],
    ['a line item with an unknown field', false, withItem({ colour: 'red' })],
    ['a line item without a name', false, withItem({ name: undefined })],
    ['an empty name', false, withItem({ name: '' })],
    ['a name of 200 characters', true, withItem({ name: 'x'.repeat(200) })],
    ['a name of 201 characters', false, withItem({ name: 'x'.repeat(201) })],
    ['a name with a line feed', true, withItem({ name: 'a\nb' })],
    ['a name with NUL', false, withItem({ name: 'a\0b' })],
    ['a name with DEL', false, withItem({ name: 'a\u007fb' })],
    ['no sku', true, withItem({ sku: null })],
    ['a sku of 101 characters', false, withItem({ sku: 'x'.repeat(101) })],
    ['a quantity of nothing', false, withItem({ quantity: 0 })],
    ['half a quantity', false, withItem({ quantity: 1.5 })],
    ['a quantity as text', false, withItem({ quantity: '1' })],
    ['a million', true, withItem({ quantity: 1_000_000, unit_amount: 1 })],
    ['a million and one', false, withItem({ quantity: 1_000_001 })],
    ['for nothing', true, withItem({ unit_amount: 0 })],
    ['less than nothing', false, withItem({ unit_amount: -1 })],
    ['the largest amount', true, withItem({ quantity: 1, unit_amount: 999_999_999_999 })],
    ['more than that', false, withItem({ quantity: 1, unit_amount: 1_000_000_000_000 })],
    ['a customer without mail', true, withCustomer({})],
    ['a customer with null for mail', true, withCustomer({ email: null })],
    ['a mail address that is none', false, withCustomer({ email: 'ada' })],
    ['a mail address beyond ASCII', true, withCustomer({ email: 'schäfer2@exämple.de' })],
    ['a mail address with a blank', false, withCustomer({ email: 'ada b@example.com' })],
    ['a customer with an unknown field', false, withCustomer({ phone: '1' })],
    ['no customer', false, { ...orderBody, customer: undefined }],
    ['50 entries of metadata', true, { ...orderBody, metadata: entries(50) }],
    ['51 entries of metadata', false, { ...orderBody, metadata: entries(51) }],
    ['an empty entry', true, { ...orderBody, metadata: { a: '' } }],
    ['an entry of 500 characters', true, { ...orderBody, metadata: { a: 'x'.repeat(500) } }],
    ['an entry of 501 characters', false, { ...orderBody, metadata: { a: 'x'.repeat(501) } }],
    ['a key of 40 characters', true, { ...orderBody, metadata: { ['k'.repeat(40)]: 'v' } }],
    ['a key of 41 characters', false, { ...orderBody, metadata: { ['k'.repeat(41)]: 'v' } }],
    ['a key with a blank', false, { ...orderBody, metadata: { 'a b': 'v' } }],
    ['an entry that is a number', false, { ...orderBody, metadata: { a: 1 } }],
    ['a list', false, [orderBody]],
  ];

  test.each(bodies)('%s: %s', async (_, isFine, given) => {
    const body = JSON.parse(JSON.stringify(given));
    expect(allows('/components/schemas/NewOrder', body)).toBe(isFine);
    expect(await send('POST', '/v2/order', { body })).toBe(isFine ? 201 : 400);
  });
});

describe('PATCH /v2/order/{id}', () => {
  const bodies: readonly [string, boolean, unknown][] = [
    ['the status that it has', true, { status: 'pending' }],
    ['a status that there is not', false, { status: 'open' }],
    ['nothing', false, {}],
    ['an unknown field', false, { total: 1 }],
    ['another name', true, { customer: { name: 'Grace' } }],
    ['null for the email', true, { customer: { email: null } }],
    ['null for a name', false, { customer: { name: null } }],
    ['an entry less', true, { metadata: { channel: null } }],
    ['an entry that is a number', false, { metadata: { channel: 1 } }],
    ['null for the metadata', false, { metadata: null }],
  ];

  test.each(bodies)('%s: %s', async (_, isFine, body) => {
    const { headers } = await platform.request(0, 'POST', '/v2/order', { key, body: orderBody });
    expect(allows('/components/schemas/OrderChange', body)).toBe(isFine);
    expect(await send('PATCH', String(headers.location), { body })).toBe(isFine ? 200 : 400);
  });
});

describe('GET /v2/order', () => {
  const parameters = () => at('/paths/~1v2~1order/get/parameters') as readonly Parameter[];
  const allowsParameter = (name: string, text: string) => {
    const index = parameters().findIndex((parameter) => parameter.name === name);
    if (index < 0) return false;
    const isNumber = parameters()[index]?.schema.type === 'integer';
    return allows(`/paths/~1v2~1order/get/parameters/${index}/schema`, isNumber ? Number(text) : text);
  };

  test.each([
    ['limit', '1', true],
    ['limit', '100', true],
    ['limit', '0', false],
    ['limit', '101', false],
    ['limit', '1.5', false],
    ['limit', 'many', false],
    ['status', 'paid', true],
    ['status', 'PAID', false],
    ['created_from', '2026-11-21T09:30:00Z', true],
    ['created_from', '2026-11-21T09:30:00+01:00', true],
    ['created_from', '2026-11-21t09:30:00z', true],
    ['created_to', '2026-11-21', false],
    ['created_to', 'today', false],
    ['updated_from', '2026-11-21T09:30:00Z', true],
    ['updated_from', 'today', false],
    ['page', '2', false],
  ])('%s=%s: %s', async (name, text, isFine) => {
    expect(allowsParameter(name, text)).toBe(isFine);
    const path = `/v2/order?${new URLSearchParams({ [name]: text })}`;
    expect(await send('GET', path)).toBe(isFine ? 200 : 400);
  });

  test('no other parameter is documented', () => {
    const names = parameters().map(({ name }) => name);
    expect(names).toEqual(['limit', 'cursor', 'status', 'created_from', 'created_to', 'updated_from']);
  });
});

test.each([
  ['k', true],
  ['k'.repeat(255), true],
  ['k'.repeat(256), false],
  ['a b', false],
])('Idempotency-Key %s: %s', async (idempotencyKey, isFine) => {
  expect(allows('/components/parameters/OrderIdempotencyKey/schema', idempotencyKey)).toBe(isFine);
  const headers = { 'Idempotency-Key': idempotencyKey };
  expect(await send('POST', '/v2/order', { body: orderBody, headers })).toBe(isFine ? 201 : 400);
});

/** The value at a pointer into the document. */
const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name.replaceAll('~1', '/')], document);

/** Every media type of the document, with its place. */
function* mediaTypes(part: unknown, pointer = ''): Generator<[pointer: string, media: Media]> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (/^application\/(json|merge-patch\+json|x-www-form-urlencoded)$/.test(name)) yield [place, value];
    else yield* mediaTypes(value, place);
  }
}

test('every example matches its schema', () => {
  let count = 0;
  for (const [pointer, { example, examples = {} }] of mediaTypes(document)) {
    const values = [
      ...(example === undefined ? [] : [example]),
      ...Object.values(examples).map(({ value }) => value),
    ];
    for (const value of values) {
      count++;
      expect([pointer, value, allows(`${pointer}/schema`, value)]).toEqual([pointer, value, true]);
    }
  }
  expect(count).toBeGreaterThan(40);
});

test('the examples of requests have the documented results', async () => {
  const created = await platform.request(0, 'POST', '/v2/order', {
    key,
    body: (at('/paths/~1v2~1order/post/requestBody/content/application~1json') as Media).example,
  });
  expect(created.status).toBe(201);
  const { examples = {} } = at(
    '/paths/~1v2~1order~1{id}/patch/requestBody/content/application~1json',
  ) as Media;
  expect(Object.keys(examples)).toHaveLength(2);
  for (const { value: body } of Object.values(examples)) {
    expect(await send('PATCH', String(created.headers.location), { body })).toBe(200);
  }
});
