import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readApi } from './api.ts';

/** The least document of a service, with `change` made to it. */
function directoryOf(
  change: (document: ReturnType<typeof sample>) => unknown = (document) => document,
): string {
  const directory = mkdtempSync(join(tmpdir(), 'api-'));
  writeFileSync(join(directory, 'invoices.yaml'), stringify(change(sample())));
  return directory;
}

const operation = (operationId: string) => ({
  operationId,
  security: [{ bearer: ['invoices:read'] }],
  'x-upstream': 'invoices',
});

const sample = () => ({
  openapi: '3.1.0',
  info: { title: 'Invoices', version: '1' },
  'x-upstreams': { invoices: { origins: ['http://127.0.0.1:4600'], timeout: '5s' } },
  paths: {
    '/v2/invoices': { get: operation('listInvoices') },
    '/v2/invoices/{id}': { get: operation('getInvoice') },
  } as Record<string, Record<string, object>>,
  webhooks: { 'invoice.paid': { post: { operationId: 'paid', security: [{ bearer: ['invoices:read'] }] } } },
  components: {
    securitySchemes: {
      bearer: {
        type: 'oauth2',
        flows: {
          authorizationCode: { scopes: { 'invoices:read': 'See your invoices' } as Record<string, string> },
        },
      },
    },
  },
});

test('The documents of an installation become one API of operations, scopes, upstreams and events.', () => {
  const { operations, scopes, upstreams, events } = readApi(directoryOf());
  const described = operations.map(
    ({ method, path, upstream, scope }) => `${method} ${path} ${upstream} ${scope}`,
  );
  expect(described).toEqual(
    expect.arrayContaining([
      'GET /v2/order/{id} business orders:read',
      'GET /v2/rate-limit limit ',
      'POST /v2/oauth/token identity null',
      'GET /v2/invoices/{id} invoices invoices:read',
    ]),
  );
  expect(scopes).toContainEqual({ name: 'invoices:read', text: 'See your invoices' });
  expect(upstreams).toMatchObject([
    { name: 'invoices', origins: ['http://127.0.0.1:4600'], timeoutMs: 5_000 },
  ]);
  expect(events).toMatchObject([{ name: 'invoice.paid', scope: 'invoices:read' }]);
});

test.each<[string, (document: ReturnType<typeof sample>) => unknown, RegExp]>([
  [
    'an unknown key',
    (one) => ({ ...one, 'x-upstrems': {} }),
    /invoices\.yaml:\d+: x-upstrems: is not known$/,
  ],
  [
    'an unknown key of an operation',
    (one) => {
      one.paths['/v2/invoices/{id}'] = { get: { ...operation('a'), 'x-timeout': '5s' } };
      return one;
    },
    /:\d+: paths\.\/v2\/invoices\/\{id\}\.get\.x-timeout: is not known$/,
  ],
  [
    'an operation without security',
    (one) => ({ ...one, paths: { '/v2/a': { get: { operationId: 'a', 'x-upstream': 'invoices' } } } }),
    /paths\.\/v2\/a\.get: names no security$/,
  ],
  [
    'an operation that anyone may call',
    (one) => ({ ...one, paths: { '/v2/a': { get: { ...operation('a'), security: [{}] } } } }),
    /permits requests without a credential$/,
  ],
  [
    'a scope without a text',
    (one) => {
      one.components.securitySchemes.bearer.flows.authorizationCode.scopes = { 'invoices:read': '' };
      return one;
    },
    /scopes\.invoices:read: has no text for the people who grant it$/,
  ],
  [
    'a scope that no document names',
    (one) => ({
      ...one,
      paths: { '/v2/a': { get: { ...operation('a'), security: [{ bearer: ['invoices:write'] }] } } },
    }),
    /no securitySchemes has a text for invoices:write$/,
  ],
  [
    'a path outside /v2',
    (one) => ({ ...one, paths: { '/invoices': { get: operation('a') } } }),
    /is not below \/v2$/,
  ],
  [
    'a path among those of OAuth',
    (one) => ({ ...one, paths: { '/v2/oauth/introspect': { post: operation('a') } } }),
    /is among the platform's$/,
  ],
  [
    'a path of the platform',
    (one) => ({ ...one, paths: { '/v2/order': { delete: operation('a') } } }),
    /paths\.\/v2\/order: is a path of .*platform\.yaml$/,
  ],
  [
    'a path inside a template of the platform',
    (one) => ({ ...one, paths: { '/v2/order/search': { get: operation('a') } } }),
    /overlaps \/v2\/order\/\{id\}/,
  ],
  [
    'two templates of one shape',
    (one) => ({
      ...one,
      paths: { '/v2/a/{b}': { get: operation('a') }, '/v2/a/{c}': { get: operation('b') } },
    }),
    /overlaps \/v2\/a\/\{b\}/,
  ],
  [
    'an upstream that the platform has',
    (one) => ({ ...one, 'x-upstreams': { identity: { origins: ['http://127.0.0.1:1'] } } }),
    /x-upstreams\.identity: is the name of another upstream$/,
  ],
  [
    'an upstream whose passports business-service would accept',
    (one) => ({ ...one, 'x-upstreams': { 'business-service': { origins: ['http://127.0.0.1:1'] } } }),
    /x-upstreams\.business-service: is the name of another upstream$/,
  ],
  [
    'an operation at an upstream of the platform',
    (one) => ({ ...one, paths: { '/v2/a': { get: { ...operation('a'), 'x-upstream': 'identity' } } } }),
    /no x-upstreams has identity$/,
  ],
  [
    'an operationId that is given twice',
    (one) => ({ ...one, paths: { '/v2/a': { get: operation('listOrders') } } }),
    /listOrders is another operation$/,
  ],
  [
    'an event about a resource of the platform',
    (one) => ({ ...one, webhooks: { 'order.lost': { post: operation('a') } } }),
    /webhooks\.order\.lost: is about a resource of the platform$/,
  ],
  [
    'an upstream that would get the pages of the documentation',
    (one) => ({ ...one, 'x-upstreams': { docs: { origins: ['http://127.0.0.1:1'] } } }),
    /x-upstreams\.docs: is the name of another upstream$/,
  ],
  [
    'components of nothing',
    (one) => ({ ...one, components: { ...one.components, schemas: null } }),
    /components\.schemas: /,
  ],
  [
    'a component that the platform has',
    (one) => ({ ...one, components: { ...one.components, schemas: { Order: {} } } }),
    /components\.schemas\.Order: is a component of another document$/,
  ],
  [
    'a reference that leads nowhere',
    (one) => ({
      ...one,
      paths: { '/v2/a': { get: { ...operation('a'), responses: { 200: { $ref: './other.yaml#/x' } } } } },
    }),
    /paths\.\/v2\/a\.get\.responses\.200\.\$ref: \.\/other\.yaml#\/x is no component of this document$/,
  ],
  [
    'a WebSocket that another method than GET opens',
    (one) => ({ ...one, paths: { '/v2/a': { post: { ...operation('a'), 'x-websocket': true } } } }),
    /paths\.\/v2\/a\.post\.x-websocket: is for GET: a WebSocket is opened by it$/,
  ],
  [
    'an end without a deprecation',
    (one) => ({ ...one, paths: { '/v2/a': { get: { ...operation('a'), 'x-sunset': '2027-01-01' } } } }),
    /ends, and is not deprecated$/,
  ],
])('A document with %s is refused with its file and line.', (_what, change, message) => {
  expect(() => readApi(directoryOf(change))).toThrow(message);
});

test('A document that is no YAML is refused with its line.', () => {
  const directory = directoryOf();
  writeFileSync(join(directory, 'broken.yaml'), 'openapi: 3.1.0\npaths: [\n');
  expect(() => readApi(directory)).toThrow(/broken\.yaml:3: /);
});

test('In one document a path goes before a template that it matches.', () => {
  const paths = { '/v2/a/{id}': { get: operation('a') }, '/v2/a/search': { get: operation('b') } };
  expect(() => readApi(directoryOf((one) => ({ ...one, paths })))).not.toThrow();
});

test('A type of event that two documents name is refused.', () => {
  const directory = directoryOf();
  const { paths: _, 'x-upstreams': __, ...other } = sample();
  const schemes = { bearer: { type: 'oauth2' } };
  writeFileSync(
    join(directory, 'other.yaml'),
    stringify({ ...other, components: { securitySchemes: schemes } }),
  );
  expect(() => readApi(directory)).toThrow(
    /other\.yaml:\d+: webhooks\.invoice\.paid: is a type of another document$/,
  );
});
