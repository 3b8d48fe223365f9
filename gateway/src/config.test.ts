import { expect, test } from '@jest/globals';
import { readConfig } from '@platform/service-kit/config/config.ts';
import { generateSecrets } from '../../deploy/local/secrets.ts';
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
