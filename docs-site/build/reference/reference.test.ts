import { describe, expect, test } from '@jest/globals';
import { textOf } from '../html.ts';
import { dereference, type Operation, operationsOf, type Schema, webhooksOf } from './document.ts';
import { renderFacts } from './operation.ts';
import { renderErrors } from './responses.ts';
import { describeType, renderSchema } from './schema.ts';
import { renderTryForm } from './try-form.ts';

describe('the document', () => {
  test('has what a reference leads to in its place, with its name and what stands beside it', () => {
    const document = dereference({
      components: { schemas: { Thing: { type: 'object', description: 'A thing.' } } },
      info: { $ref: '#/components/schemas/Thing', description: 'Another.' },
    });
    expect(document.info).toEqual({ title: 'Thing', type: 'object', description: 'Another.' });
  });

  test('is refused with a reference that leads nowhere', () => {
    expect(() => dereference({ info: { $ref: '#/components/schemas/None' } })).toThrow('leads nowhere');
  });

  test('names a schema where it contains itself', () => {
    const Loop = { properties: { inner: { $ref: '#/components/schemas/Loop' } } };
    const document = dereference({
      info: { $ref: '#/components/schemas/Loop' },
      components: { schemas: { Loop } },
    });
    expect(document.info).toEqual({ title: 'Loop', properties: { inner: { title: 'Loop' } } });
  });

  test('gives operations the parameters of their path, and the anchors that links have used so far', () => {
    const id = { name: 'id', in: 'path' };
    const get = { operationId: 'getThing', tags: ['Things'], parameters: [{ name: 'q', in: 'query' }] };
    const document = dereference({
      paths: { '/v2/thing/{id}': { parameters: [id], get } },
      webhooks: { 'thing.made': { post: { operationId: 'onThingMade', tags: ['Things'] } } },
    });
    const [operation] = operationsOf(document);
    expect(operation).toMatchObject({ method: 'GET', anchor: '/Things/getThing' });
    expect(operation?.parameters.map(({ name }) => name)).toEqual(['id', 'q']);
    expect(webhooksOf(document)[0]?.anchor).toBe('/webhooks/onThingMade');
  });
});

describe('a schema', () => {
  test.each<[Schema, string]>([
    [
      { type: 'integer', minimum: 1, maximum: 1_000_000, default: 20 },
      'integer, 20 if absent, 1 to 1,000,000',
    ],
    [{ type: ['string', 'null'], format: 'date-time' }, 'date-time or null'],
    [
      { type: 'array', maxItems: 5, items: { title: 'Item', type: 'object' } },
      'array of Item, at most 5 items',
    ],
    [{ type: 'array', minItems: 1, items: { type: 'string' } }, 'array of string, at least 1 item'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map of string'],
    [{ type: ['string', 'null'], enum: ['a', 'b', null] }, 'string or null, a · b'],
    [{ const: 404 }, 'always 404'],
    [{ type: 'string', pattern: '^a<b$' }, 'string, matching ^a<b$'],
    [{ type: 'string', pattern: '^[^\\u0000-\\u0008]*$' }, 'string, no control characters'],
  ])('%j reads: %s', (schema, text) => expect(textOf(describeType(schema))).toBe(text));

  const order: Schema = {
    type: 'object',
    required: ['items'],
    properties: {
      items: { type: 'array', items: { title: 'Item', properties: { name: { type: 'string' } } } },
      note: { type: 'string', description: 'For **you**.' },
    },
  };

  test('is a list with lists of the fields inside, open in requests and closed in responses', () => {
    const html = renderSchema(order, 'request');
    expect(html).toContain(
      '<details open><summary>Item</summary><ul class="fields"><li><code class="name">name',
    );
    expect(html).toContain('<p>For <strong>you</strong>.</p>');
    expect(renderSchema(order, 'response')).toContain('<details><summary>Item</summary>');
  });

  test('names required fields of requests, and fields that a response may lack', () => {
    expect(textOf(renderSchema(order, 'request'))).toBe(
      'items array of Item required Item name string note string For you.',
    );
    expect(textOf(renderSchema(order, 'response'))).toContain('note string may be absent');
  });

  test('of several parts has the fields of all, the later ones in place of the earlier', () => {
    const type: Schema = { properties: { type: { const: 'order.paid' } } };
    const html = renderSchema(
      { allOf: [order, { properties: { type: { type: 'string' } } }, type] },
      'request',
    );
    expect(textOf(html)).toMatch(/^items array .* note .* type always order\.paid$/);
  });

  test('of several kinds lists each, and names what at least one of must be there', () => {
    const kinds = renderSchema({ oneOf: [{ ...order, title: 'Order' }, { title: 'Other' }] }, 'response');
    expect(kinds).toContain('<p class="note">One of:</p>');
    expect(kinds).toContain('<summary>Other</summary>');
    const choice = renderSchema(
      { anyOf: [{ required: ['a'] }, { required: ['b'] }], minProperties: 1 },
      'request',
    );
    expect(textOf(choice)).toBe('At least 1 field. At least one of a and b.');
  });
});

const operation: Operation = {
  operationId: 'getThing',
  tags: ['Things'],
  tag: 'Things',
  anchor: '/Things/getThing',
  method: 'GET',
  path: '/v2/thing/{id}',
  summary: 'Get a thing',
  description: '',
  security: [{ apiKey: ['things:read'] }, { oauth2: ['things:read'] }],
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  responses: {},
};

test.each<[string, Partial<Operation>, string]>([
  [
    'with a scope',
    {},
    'Credential API key or access token Scope things:read Hourly limit counts as 1 request',
  ],
  [
    'without a price',
    { 'x-cost': 0, security: [{ apiKey: [] }, { oauth2: [] }] },
    'Credential API key or access token Hourly limit does not count',
  ],
  ['for keys alone', { security: [{ apiKey: [] }] }, 'Credential API key Hourly limit counts as 1 request'],
  [
    'of clients',
    { security: [{ clientSecret: [] }, {}] },
    'Credential client ID and client secret Hourly limit does not count',
  ],
  ['for everyone', { security: [] }, 'Credential none Hourly limit does not count'],
])('the facts of an operation %s are its credential, scope and price', (_, change, text) => {
  expect(textOf(renderFacts({ ...operation, ...change }))).toBe(text);
});

test('each error links to its section: that of its description, or that of its status', () => {
  const responses = {
    '200': { description: 'Fine.' },
    '404': {
      description: 'None. [What to\ndo](https://api.example.com/docs/errors#gone).',
      content: { 'application/json': { schema: {}, example: { code: 404 } } },
    },
    '400': { description: 'Wrong.' },
    default: { description: 'Any.' },
  };
  const html = renderErrors({ ...operation, responses });
  expect(html).toContain('<a href="/docs/errors#gone">404 Not Found</a> None.');
  expect(html).toContain('<a href="/docs/errors#bad_request">400 Bad Request</a>');
  expect(html).toContain('<code class="example">{&quot;code&quot;:404}</code>');
  expect(textOf(html)).not.toContain('Fine');
  expect(renderErrors({ ...operation, path: '/v2/oauth/token', responses })).toContain('#invalid_request');
});

test('a form has no name that a browser without script would send, and none is for client secrets', () => {
  const html = renderTryForm(operation);
  expect(html).toContain('data-in="path" data-name="id" required');
  expect(html).not.toMatch(/ name=/);
  expect(renderTryForm({ ...operation, security: [] })).not.toContain('data-key');
  expect(renderTryForm({ ...operation, path: '/v2/oauth/token' })).toBe('');
});
