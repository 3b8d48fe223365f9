import { expect, test } from '@jest/globals';
import { readConfig } from '@platform/service-kit/config/config.ts';
import { generateSecrets } from '../../deploy/local/secrets.ts';
import { apiDirectoryOf, shopDocument, shopOperation } from '../testing/own-api.ts';
import { gatewayConfig } from './config.ts';

const { gatewaySecret, credentialTagKey } = generateSecrets();

const environment = {
  MODE: 'local',
  GRPC_TLS: 'off',
  OPS_PORT: '0',
  IDENTITY_GRPC_TARGET: 'localhost:5000',
  IDENTITY_HTTP_ORIGINS: 'http://localhost:3000',
  BUSINESS_HTTP_ORIGINS: 'http://localhost:3001',
  GATEWAY_SECRET: gatewaySecret,
  CREDENTIAL_TAG_KEYS: credentialTagKey,
};

const read = (changed: Readonly<Record<string, string>>) =>
  readConfig(gatewayConfig, { ...environment, ...changed });

test('an error page on another host and the longest times are accepted', () => {
  const longest = { UPSTREAM_TIMEOUT_MS: '18000', AUTHORIZE_TIMEOUT_MS: '10000' };
  expect(read({ DOCS_URL: 'https://docs.test/errors', ...longest })).toMatchObject({
    DOCS_URL: 'https://docs.test/errors',
    UPSTREAM_TIMEOUT_MS: 18_000,
    AUTHORIZE_TIMEOUT_MS: 10_000,
  });
});

test.each([
  ['DOCS_URL', '/docs/\u20ac'],
  ['DOCS_URL', '/docs\nerrors'],
  ['UPSTREAM_TIMEOUT_MS', '18001'],
  ['AUTHORIZE_TIMEOUT_MS', '10001'],
])('%s=%j is refused by name', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
});

const authority = { GRPC_TLS_CA: 'ca.pem', GRPC_TLS_CERT: 'cert.pem', GRPC_TLS_KEY: 'key.pem' };

const mutual = {
  ...authority,
  GRPC_TLS: 'mutual',
  IDENTITY_HTTP_ORIGINS: 'https://identity-service:3000',
  BUSINESS_HTTP_ORIGINS: 'https://business-service:3000',
};

const ofShop = (...origins: string[]) =>
  apiDirectoryOf(shopDocument({}, { 'x-upstreams': { shop: { origins } } }));

test.each([
  ['http://10.0.0.1:80', {}],
  ['https://shop.internal:8443', {}],
  ['https://shop.internal:8443', mutual],
])('a service of the operator at %s is accepted beside %j', (origin, changed) => {
  const { API_DIR: api } = read({ ...changed, API_DIR: ofShop(origin) });
  expect(api.upstreams).toMatchObject([{ name: 'shop', origins: [origin] }]);
});

test.each([
  ['http://localhost:3000', {}, 'is an origin of the platform itself'],
  ['HTTP://LOCALHOST:3001', {}, 'is an origin of the platform itself'],
  ['https://api.test:443', { PUBLIC_URL: 'https://api.test' }, 'is an origin of the platform itself'],
  ['http://10.0.0.1:80', mutual, 'must be an https:// origin, since GRPC_TLS is mutual'],
])('a service of the operator at %s is refused beside %j, with file and line', (origin, changed, problem) => {
  const directory = ofShop('https://shop.internal', origin);
  expect(() => read({ ...changed, API_DIR: directory })).toThrow(
    `  API_DIR: ${directory}/shop.json:11: x-upstreams.shop.origins.1: ${problem}`,
  );
});

test('a document whose requests cannot be checked is a mistake of the configuration with file and line', () => {
  const parameters = [{ in: 'query', name: 'page', schema: { type: 'int' } }];
  const operation = shopOperation('a', { 'x-validate': true, parameters });
  const directory = apiDirectoryOf(shopDocument({ '/v2/a': { get: operation } }));
  const where = 'paths./v2/a.get.parameters.0.schema.type';
  expect(() => read({ API_DIR: directory })).toThrow(
    new RegExp(
      `API_DIR: ${directory}/shop\\.json:\\d+: ${where.replaceAll('.', '\\.')}: must be equal to one of`,
    ),
  );
});

test('a document that cannot be used is reported beside other wrong variables', () => {
  const directory = apiDirectoryOf(shopDocument({ '/orders': {} }));
  const all = () => read({ API_DIR: directory, IDENTITY_HTTP_ORIGINS: 'nonsense', GRPC_TLS: 'mutual' });
  expect(all).toThrow(/IDENTITY_HTTP_ORIGINS/);
  expect(all).toThrow(`API_DIR: ${directory}/shop.json:`);
  expect(all).toThrow(/GRPC_TLS_CA/);
});
