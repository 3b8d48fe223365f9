import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readApi } from '@platform/service-kit/api/api.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse, stringify } from 'yaml';
import { dereference } from '../reference/document.ts';
import { referencePage } from '../reference/reference.ts';
import { publishedDocument, publishedYaml } from './document.ts';

const scope = 'bills-2:read_all';
const operation = { security: [{ own: [scope] }], 'x-upstream': 'billing' };
const origin = 'http://billing.internal:4600';

/** A document that says no more than it must, and names its servers wherever OpenAPI permits. */
const bills = {
  openapi: '3.1.0',
  info: { title: 'Bills & more', version: '1', description: 'In euros.' },
  servers: [{ url: origin }],
  tags: [{ name: 'Unused' }],
  'x-upstreams': { billing: { origins: [origin] } },
  paths: {
    '/v2/bills': {
      parameters: [{ name: 'X-Shop', in: 'header', schema: {} }],
      get: {
        ...operation,
        operationId: 'listBills',
        deprecated: true,
        'x-deprecated-since': '2026-12-01',
        'x-sunset': '2028-01-31',
        parameters: [{ name: 'page', in: 'query', required: true, content: { 'application/json': {} } }],
        responses: { 200: { $ref: '#/components/responses/Bills' }, 403: { description: 'Not yours.' } },
      },
      post: {
        ...operation,
        operationId: 'makeBill',
        security: [{ own: [] }],
        'x-validate': true,
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Bill' } } } },
      },
    },
    '/v2/bills/live': {
      get: { ...operation, operationId: 'watchBills', summary: 'Watch bills', 'x-websocket': true },
    },
  },
  webhooks: {
    'bill.paid': {
      post: {
        operationId: 'onBillPaid',
        description: 'A bill was paid.',
        security: [{ own: [scope] }],
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Bill' }, example: { parts: [] } },
          },
        },
      },
    },
    'bill.lost': { post: { operationId: 'onBillLost', security: [{ own: [scope] }] } },
  },
  components: {
    securitySchemes: {
      own: {
        type: 'oauth2',
        flows: {
          authorizationCode: { authorizationUrl: origin, tokenUrl: origin, scopes: { [scope]: 'See bills' } },
        },
      },
    },
    links: { next: { server: { url: origin } } },
    responses: {
      Bills: {
        description: 'All bills.',
        headers: { 'X-Total': { schema: {} } },
        content: { 'application/pdf': {} },
      },
    },
    schemas: {
      Bill: { properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/Bill' } } } },
    },
  },
};

const directory = mkdtempSync(join(tmpdir(), 'published-'));
writeFileSync(join(directory, 'bills.yaml'), stringify(bills));
const api = readApi(directory);
// biome-ignore lint/suspicious/noExplicitAny: paths into a document that the validator has read.
const published: any = publishedDocument(api);
const page = referencePage(dereference(published));

test('The platform’s document is published as it is written, without the keys of its services.', () => {
  const platform = readApi();
  const [{ file }] = platform.documents as [(typeof platform.documents)[0]];
  const yaml = publishedYaml(platform, publishedDocument(platform));
  const written = readFileSync(file.file, 'utf8').split('\n');
  expect(yaml.split('\n')).toEqual(written.filter((line) => !line.includes('x-upstream:')));
  expect(JSON.stringify(publishedDocument(platform))).toBe(JSON.stringify(parse(yaml)));
});

test('The document with those of the operator is valid OpenAPI, in YAML as well.', async () => {
  expect(await new Validator().validate(structuredClone(published))).toEqual({ valid: true });
  expect(parse(publishedYaml(api, published))).toEqual(published);
});

test('No address of the operator’s services, and no key for the platform’s, is published.', () => {
  const all = JSON.stringify(published) + publishedYaml(api, published) + page.body + page.markdown;
  expect(all).not.toMatch(/billing\.internal|x-upstream|x-validate/);
});

test('Operations of the operator take the platform’s credentials, and their scopes are among those of OAuth.', () => {
  const { get, post } = published.paths['/v2/bills'];
  expect(get.security).toEqual([{ apiKey: [scope] }, { oauth2: [scope] }]);
  expect(post.security).toEqual([{ apiKey: [] }, { oauth2: [] }]);
  const { securitySchemes, schemas } = published.components;
  expect(securitySchemes.own).toBeUndefined();
  expect(securitySchemes.oauth2.flows.authorizationCode.scopes[scope]).toBe('See bills');
  expect(schemas.ServerMetadata.properties.scopes_supported.items.enum).toContain(scope);
});

test('Operations of the operator have the responses and headers of the gateway beside their own.', () => {
  const { responses } = published.paths['/v2/bills'].get;
  expect(Object.keys(responses)).toEqual([
    ...['200', '400', '401', '403', '429', '502', '503', '504', 'default'],
  ]);
  expect(responses['403']).toEqual({ description: 'Not yours.' });
  expect(responses['429']).toEqual({ $ref: '#/components/responses/TooManyRequests' });
  expect(Object.keys(responses['200'].headers)).toEqual(
    expect.arrayContaining(['X-Total', 'X-Request-Id', 'RateLimit', 'X-RateLimit-Reset']),
  );
});

test('Operations without a tag stand below the title of their document, and tags without an operation nowhere.', () => {
  expect(published.tags.at(-1)).toEqual({ name: 'Bills & more', description: 'In euros.' });
  expect(page.body).toContain('<h2 id="/Bills%20%26%20more">');
  expect(page.body).toContain('<h3 id="/Bills%20%26%20more/listBills">');
  expect(page.body).not.toContain('Unused');
});

test('An event of the operator is published as receivers get it, with the described part as its data.', () => {
  const { post } = published.webhooks['bill.paid'];
  expect(post.description).toBe(`A bill was paid. Scope: \`${scope}\`.`);
  const { schema, example } = post.requestBody.content['application/json'];
  expect(schema.required).toEqual(expect.arrayContaining(['id', 'type', 'sequence', 'data']));
  expect(schema.properties).toMatchObject({
    type: { const: 'bill.paid' },
    data: { $ref: '#/components/schemas/Bill' },
  });
  expect(example).toMatchObject({ type: 'bill.paid', sequence: expect.any(Number), data: { parts: [] } });
  expect(page.body).toContain('<h3 id="/webhooks/onBillPaid">');
});

test('The reference shows a document that says little, and when an operation ends.', () => {
  const articleOf = (id: string) => page.body.split(`/${id}">`)[2]?.split('</article>')[0] ?? '';
  expect(articleOf('listBills')).toContain('Deprecated since 2026-12-01. Ends on 2028-01-31.');
  expect(page.markdown).toContain('Ends on 2028-01-31.');
  expect(articleOf('makeBill')).toContain('<textarea data-body');
  expect(articleOf('makeBill')).toContain('array of Bill');
  expect(articleOf('watchBills')).toContain('<dt>WebSocket</dt><dd>yes</dd>');
  expect(articleOf('watchBills')).not.toContain('<form');
});
