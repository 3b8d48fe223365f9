import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { apiWith, shopDocument, shopOperation } from '../../testing/own-api.ts';
import type { GatewayError } from '../edge/errors.ts';
import { createRouteTable } from '../routes.ts';
import { createRequestChecks, validateRequest } from './validate-request.ts';

const parameter = (where: string, name: string, schema: object, more: object = {}) => ({
  in: where,
  name,
  schema,
  ...more,
});

const ware = {
  type: 'object',
  required: ['name', 'price'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    price: { type: 'integer', minimum: 0 },
    kind: { enum: ['new', 'used'] },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Ware' } },
    constructor: { type: 'string' },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    until: { type: ['string', 'null'], format: 'date-time' },
  },
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

const operation = (id: string, more: object) => shopOperation(id, { 'x-validate': true, ...more });

const body = (schema: object, more: object = {}) => ({ requestBody: { ...json(schema), ...more } });

const document = () => {
  const one = shopDocument({
    '/v2/wares/{number}': {
      parameters: [
        parameter('path', 'number', { type: 'integer', maximum: 9 }, { required: true }),
        parameter('query', 'lang', { type: 'string', maxLength: 2 }),
      ],
      get: operation('getWare', {
        parameters: [
          { $ref: '#/components/parameters/Limit' },
          parameter('query', 'lang', { type: 'string', maxLength: 5 }),
          parameter('query', 'all', { type: 'boolean' }),
          parameter('query', 'tag', { type: 'array', items: { type: 'string', maxLength: 3 }, maxItems: 2 }),
          parameter('query', 'ids', { type: 'array', items: { type: 'integer' } }, { explode: false }),
          parameter('query', 'page', { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }),
          parameter('query', 'code', { type: 'string', maxLength: 12, pattern: '^(a+)+$' }),
          parameter('query', 'site', { type: 'string', format: 'url' }),
          parameter('header', 'X-Tags', { type: 'array', items: { maxLength: 3 } }),
          parameter('header', 'X-Color', { enum: ['red', 'blue'] }, { required: true }),
          parameter('header', 'Accept', { type: 'integer' }),
        ],
      }),
    },
    '/v2/wares': {
      post: operation('addWare', body(ref('Ware'), { required: true })),
      put: operation('importWares', {
        requestBody: { content: { ...json(ware).content, 'text/csv': {} } },
      }),
      delete: operation('deleteWares', body({ type: 'array', uniqueItems: true })),
      patch: shopOperation('changeWares', body({ type: 'object' })),
    },
  });
  const parameters = { Limit: parameter('query', 'limit', { type: 'integer', minimum: 1, maximum: 100 }) };
  return { ...one, components: { ...one.components, schemas: { Ware: ware }, parameters } };
};

const api = apiWith(document());
const routes = createRouteTable(api);
const step = validateRequest(createRequestChecks(api));

interface Sent {
  readonly headers?: IncomingHttpHeaders;
  readonly body?: string | Buffer;
  readonly isStreamed?: boolean;
}

/** The refusal of a request, with what is recorded of it; undefined where it goes on. */
function refusalOf(method: string, url: string, { headers = {}, body: sent, isStreamed = false }: Sent = {}) {
  let refusal: GatewayError | undefined;
  let wentOn = false;
  const [path = ''] = url.split('?');
  const exchange = {
    path,
    route: routes.match(method, path),
    invalidInput: '',
    body: { isExpected: sent !== undefined, isAtHand: !isStreamed, whole: Buffer.from(sent ?? '') },
    refuse: (error: GatewayError) => {
      refusal = error;
    },
  };
  const req = { method, url, headers, exchange } as unknown as Request;
  void step(req, {} as never, () => {
    wentOn = true;
  });
  expect(wentOn).toBe(refusal === undefined);
  return refusal && { code: refusal.code, text: refusal.text, recorded: exchange.invalidInput };
}

const get = (query: string, headers: IncomingHttpHeaders = { 'x-color': 'red' }, path = '/v2/wares/7') =>
  refusalOf('GET', `${path}${query}`, { headers });

const asJson = { 'content-type': 'application/json' };

const post = (value: unknown) =>
  refusalOf('POST', '/v2/wares', { headers: asJson, body: JSON.stringify(value) });

test.each([
  '',
  '?limit=100&lang=de-CH&all=false&tag=a&tag=b&ids=1,-2&page=3',
  '?limit=1e1&lang=12345',
  '?lang=d%65',
])('Parameters that the document accepts go on: %j', (query) => {
  expect(get(query)).toBeUndefined();
  expect(refusalOf('HEAD', `/v2/wares/7${query}`, { headers: { 'x-color': 'blue' } })).toBeUndefined();
});

test.each([
  ['?limit=101', 'limit: must be at most 100', 'limit'],
  ['?limit=ten', 'limit: must be a whole number', 'limit'],
  ['?limit=1.5', 'limit: must be a whole number', 'limit'],
  ['?limit=0x10', 'limit: must be a whole number', 'limit'],
  ['?limit=%207', 'limit: must be a whole number', 'limit'],
  ['?limit=', 'limit: must be a whole number', 'limit'],
  ['?limit=1&limit=2', 'limit: is given twice', 'limit'],
  ['?lang=german', 'lang: must have at most 5 characters', 'lang'],
  ['?all=yes', 'all: must be true or false', 'all'],
  ['?tag=a&tag=b&tag=c', 'tag: must have at most 2 entries', 'tag'],
  ['?tag=a&tag=long', 'tag[1]: must have at most 3 characters', 'tag[1]'],
  ['?ids=1,x', 'ids[1]: must be a whole number', 'ids[1]'],
  ['?page=0', 'page: has a value that is not accepted', 'page'],
  ['?ids=1&ids=x', 'ids[1]: must be a whole number', 'ids[1]'],
  ['?__proto__=1', 'unknown parameter "__proto__"', '__proto__'],
  ['?Limit=1', 'unknown parameter "Limit"', 'Limit'],
  ['?a%20b', 'unknown parameter "a b"', 'a b'],
])('The query %j is refused with the parameter and the reason.', (query, text, field) => {
  expect(get(query)).toEqual({ code: 400, text, recorded: `invalid_query ${field}` });
});

test('A parameter of the path and a header are refused with their names.', () => {
  const recorded = 'invalid_path number';
  expect(get('', {}, '/v2/wares/x7')).toEqual({
    code: 400,
    text: 'number: must be a whole number',
    recorded,
  });
  expect(get('', {}, '/v2/wares/10')).toEqual({ code: 400, text: 'number: must be at most 9', recorded });
  const header = { code: 400, recorded: 'invalid_header X-Color' };
  expect(get('', {})).toEqual({ ...header, text: 'X-Color: is required' });
  expect(get('', { 'x-color': 'red', 'x-tags': 'a, abc' })).toBeUndefined();
  expect(get('', { 'x-color': 'pink' })).toEqual({ ...header, text: 'X-Color: must be one of red, blue' });
});

test('A header that Connection names counts as absent, as it is not forwarded.', () => {
  const red = { 'x-color': 'red' };
  expect(get('', { ...red, connection: 'keep-alive, X-Color' })).toMatchObject({
    text: 'X-Color: is required',
  });
  const sent = { headers: { ...asJson, connection: 'content-type' }, body: '{}' };
  expect(refusalOf('POST', '/v2/wares', sent)).toMatchObject({ code: 415 });
});

test('A long URL is checked at once.', () => {
  expect(get('?site=https://example.com/a')).toBeUndefined();
  expect(get('?site=example')).toMatchObject({ recorded: 'invalid_query site' });
  expect(get(`?site=http://${':'.repeat(60_000)}`)).toBeUndefined();
});

test.each([
  { name: 'Tea', price: 450 },
  { name: 'Tea', price: 0, kind: 'used', parts: [{ name: 'a', price: 1 }], note: null, until: null },
  { name: 'Tea', price: 1, until: '2027-01-31T12:00:00Z' },
])('A body that the document accepts goes on: %j', (value) => expect(post(value)).toBeUndefined());

test.each([
  [{ name: 'Tea' }, 'price: is required', ' price'],
  [{ name: 'Tea', price: '1' }, 'price: must be a whole number', ' price'],
  [{ name: '', price: 1 }, 'name: must not be empty', ' name'],
  [{ name: 'Coffee', price: 1 }, 'name: must have at most 5 characters', ' name'],
  [{ name: 'Tea', price: -1 }, 'price: must be at least 0', ' price'],
  [{ name: 'Tea', price: 1, kind: 'old' }, 'kind: must be one of new, used', ' kind'],
  [{ name: 'Tea', price: 1, colour: 1 }, 'unknown field "colour"', ' colour'],
  [
    {
      name: 'Tea',
      price: 1,
      parts: [
        { name: 'a', price: 1 },
        { name: 'b', price: 1, x: 1 },
      ],
    },
    'parts[1]: unknown field "x"',
    ' parts[1].x',
  ],
  [{ name: 'Tea', price: 1, note: 7 }, 'note: has a value that is not accepted', ' note'],
  [{ name: 'Tea', price: 1, until: 7 }, 'until: must be text or null', ' until'],
  [{ name: 'Tea', price: 1, until: 'soon' }, 'until: must be a time such as 2026-01-31T12:00:00Z', ' until'],
  [[], 'must be an object', ''],
])('The body %j is refused with the field and the reason.', (value, text, field) => {
  expect(post(value)).toEqual({ code: 400, text, recorded: `invalid_body${field}` });
});

test.each<[string, Sent, number, string, string]>([
  ['none', {}, 400, 'a body is required', 'invalid_body'],
  ['no JSON', { body: '{' }, 400, 'the body is not valid JSON', 'invalid_json'],
  [
    'a name of every object',
    { body: '{"__proto__":{}}' },
    400,
    '__proto__: is not a usable name',
    'invalid_json __proto__',
  ],
  [
    '33 levels',
    { body: '['.repeat(33) + ']'.repeat(33) },
    400,
    'the body is nested deeper than 32 levels',
    'invalid_json',
  ],
  ['a name twice', { body: '{"name":"a","name":"b"}' }, 400, 'name: is given twice', 'invalid_json name'],
  ['no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'the body is not valid UTF-8', 'invalid_json'],
  [
    'one that is not at hand',
    { isStreamed: true },
    413,
    'the body is larger than 65536 bytes',
    'body_too_large',
  ],
  [
    'a compressed one',
    { headers: { ...asJson, 'content-encoding': 'gzip' } },
    415,
    'the encoding of the body is not supported',
    'invalid_header Content-Type',
  ],
  [
    'another type',
    { headers: { 'content-type': 'text/csv' } },
    415,
    'Content-Type must be application/json',
    'invalid_header Content-Type',
  ],
])('Of bodies, %s is refused.', (what, sent, code, text, recorded) => {
  const given = what === 'none' ? {} : { headers: asJson, body: '{}', ...sent };
  expect(refusalOf('POST', '/v2/wares', given)).toEqual({ code, text, recorded });
});

test('A body of another type that the document has goes on unread, and so does an absent one that may be absent.', () => {
  const csv = { headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'a', isStreamed: true };
  expect(refusalOf('PUT', '/v2/wares', csv)).toBeUndefined();
  expect(refusalOf('PUT', '/v2/wares')).toBeUndefined();
});

test('An operation that does not ask for it is not checked.', () => {
  expect(refusalOf('PATCH', '/v2/wares?x=1', { body: '[' })).toBeUndefined();
});

test('A name from the request is recorded without secrets, and in printable characters.', () => {
  expect(get('?gr%C3%B6%C3%9Fe=1')).toMatchObject({ recorded: 'invalid_query gr??e' });
});

test('A list of entries that are all different is compared in a time that grows with its length.', () => {
  const list = (count: number) => Array.from({ length: count }, (_, a) => ({ a, b: 1 }));
  const put = (value: unknown) =>
    refusalOf('DELETE', '/v2/wares', { headers: asJson, body: JSON.stringify(value) });
  expect(put(list(20_000))).toBeUndefined();
  expect(put([...list(2), { b: 1, a: 1 }])).toMatchObject({ text: 'has a value that is not accepted' });
});

test('Text is longer than permitted before it is matched with a pattern, whose time it bounds.', () => {
  const text = `${'a'.repeat(5_000)}!`;
  expect(get(`?code=${text}`)).toMatchObject({ text: 'code: must have at most 12 characters' });
  expect(get('?code=aaa!')).toMatchObject({ text: 'code: is not in the accepted form' });
});

test.each([
  [
    'a cookie',
    [parameter('cookie', 'a', {})],
    /parameters\.0\.in: is not checked by x-validate: only path, query/,
  ],
  [
    'a deep object',
    [parameter('query', 'a', {}, { style: 'deepObject' })],
    /parameters\.0\.style: is not checked by x-validate: only form and simple are$/,
  ],
  ['an object', [parameter('query', 'a', { type: 'object' })], /parameters are texts or lists$/],
  ['no schema', [{ in: 'query', name: 'a' }], /is missing, and x-validate needs it$/],
  [
    'a name that the path does not have',
    [parameter('path', 'id', {})],
    /parameters\.0: is no part of the path$/,
  ],
  [
    'a header that the gateway sets',
    [parameter('header', 'X-Request-Id', {})],
    /parameters\.0: never arrives: the gateway drops or sets this header$/,
  ],
  [
    'a type that is none',
    [parameter('query', 'a', { type: 'int' })],
    /parameters\.0\.schema\.type: must be equal/,
  ],
  [
    'a broken pattern',
    [parameter('query', 'a', { pattern: '(' })],
    /0\.schema: Invalid regular expression: /,
  ],
])('A parameter with %s cannot be checked: an error with file and line.', (_, parameters, message) => {
  const broken = apiWith(shopDocument({ '/v2/wares': { get: operation('listWares', { parameters }) } }));
  expect(() => createRequestChecks(broken)).toThrow(/shop\.json:\d+: paths\.\/v2\/wares\.get\.parameters/);
  expect(() => createRequestChecks(broken)).toThrow(message);
});

test('A body of any type cannot be checked: an error with file and line.', () => {
  const requestBody = { content: { '*/*': {} } };
  const broken = apiWith(shopDocument({ '/v2/wares': { post: operation('addWare', { requestBody }) } }));
  expect(() => createRequestChecks(broken)).toThrow(/shop\.json:\d+: .*\*\/\*: is not checked by x-validate/);
});

test.each([
  [
    'a schema that is none',
    { Ware: { type: 'object', properties: { name: { minLength: -1 } } } },
    /name\.minLength: /,
  ],
  ['a reference to itself', { Ware: { $ref: '#/components/schemas/Ware' } }, /Ware: leads back to itself$/],
  [
    'alternatives that lead back',
    {
      Ware: { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Other' }] },
      Other: { if: {}, else: { allOf: [{ $ref: '#/components/schemas/Ware' }] } },
    },
    /Ware: leads back to itself$/,
  ],
])('A document with %s cannot be checked: an error with file and line.', (_, schemas, message) => {
  const one = shopDocument({ '/v2/wares': { post: operation('addWare', body(ref('Ware'))) } });
  const broken = apiWith({ ...one, components: { ...one.components, schemas } });
  expect(() => createRequestChecks(broken)).toThrow(/shop\.json:\d+: components\.schemas\.Ware/);
  expect(() => createRequestChecks(broken)).toThrow(message);
});

test('A document is not checked where no operation asks for it.', () => {
  const parameters = [parameter('query', 'a', { type: 'int' })];
  const unchecked = apiWith(
    shopDocument({ '/v2/wares': { get: shopOperation('listWares', { parameters }) } }),
  );
  expect(createRequestChecks(unchecked)).toEqual(new Map());
});
