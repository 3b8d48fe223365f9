import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { generateSecrets } from '../../deploy/local/secrets.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { namedVariables as named, startToEnd } from '../harness/start-to-end.ts';

const startWith = (env: Readonly<Record<string, string>>) => startToEnd('identity-service', env);

test('identity-service without variables names every required one at once', async () => {
  const { code, output } = await startWith({});
  expect(code).toBe(78);
  expect(named(output)).toEqual([
    'BUSINESS_GRPC_TARGET',
    'CREDENTIAL_TAG_KEYS',
    'DATABASE_URL',
    'ENCRYPTION_KEYS',
    'GATEWAY_SECRET',
    'GRPC_PORT',
    'GRPC_TLS_CA',
    'GRPC_TLS_CERT',
    'GRPC_TLS_KEY',
    'HTTP_PORT',
    'KEY_PEPPERS',
    'MAIL_FROM',
    'OPS_PORT',
    'PASSPORT_PRIVATE_KEY',
    'PUBLIC_URL',
    'REDIS_URL',
    'SESSION_SECRETS',
    'SMTP_URL',
  ]);
});

test('identity-service with invalid variables names each error and repeats no value', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const values = {
    MODE: 'production',
    GRPC_TLS: 'off',
    GRPC_PORT: '70000',
    OPS_PORT: 'eighty',
    DATABASE_URL: 'mysql://root:hunter2@db/identity',
    REDIS_URL: 'http://:hunter3@redis',
    KEY_PEPPERS: 'short,changeme-changeme-changeme-changeme',
    CREDENTIAL_TAG_KEYS: 'tag-short',
    PASSPORT_PRIVATE_KEY: rsa.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    BUSINESS_GRPC_TARGET: 'ipv4:[::1]:1',
    HTTP_PORT: '-1',
    GATEWAY_SECRET: 'gateway-short',
    PUBLIC_URL: 'nonsense with hunter5',
    HTTP_HOST: 'http://api.example',
    GRPC_HOST: '127.0.0.300',
    OPS_HOST: '::g',
    SESSION_SECRETS: 'session-short',
    ENCRYPTION_KEYS: 'dG9vIHNob3J0',
    SMTP_URL: 'https://hunter4@mail.example',
    MAIL_FROM: 'nobody',
    ACCESS_TOKEN_SECONDS: '1.5',
    SESSION_SECONDS: '0',
    THROTTLE_SCALE: '0',
    OTLP_HEADERS: 'hunter6',
  };
  const { code, output } = await startWith(values);
  expect(code).toBe(78);
  expect(named(output)).toEqual([
    'ACCESS_TOKEN_SECONDS',
    'BUSINESS_GRPC_TARGET',
    'CREDENTIAL_TAG_KEYS',
    'DATABASE_URL',
    'ENCRYPTION_KEYS',
    'GATEWAY_SECRET',
    'GRPC_HOST',
    'GRPC_PORT',
    'GRPC_TLS',
    'HTTP_HOST',
    'HTTP_PORT',
    'KEY_PEPPERS',
    'MAIL_FROM',
    'OPS_HOST',
    'OPS_PORT',
    'OTLP_HEADERS',
    'PASSPORT_PRIVATE_KEY',
    'PUBLIC_URL',
    'REDIS_URL',
    'SESSION_SECONDS',
    'SESSION_SECRETS',
    'SMTP_URL',
    'THROTTLE_SCALE',
  ]);
  expect(output).toContain('KEY_PEPPERS.0: must have at least 32 characters');
  expect(output).toContain('KEY_PEPPERS.1: looks like a placeholder');
  for (const value of [
    'hunter2',
    'hunter3',
    'hunter4',
    'hunter5',
    'hunter6',
    'short',
    'dG9v',
    'changeme',
    values.PASSPORT_PRIVATE_KEY,
  ]) {
    expect(output).not.toContain(value);
  }
});

/** Everything that production needs, except a Redis. */
function almostComplete() {
  const secrets = generateSecrets();
  return {
    GRPC_TLS: 'mesh',
    GRPC_PORT: '0',
    OPS_PORT: '0',
    DATABASE_URL: 'postgresql://127.0.0.1:1/identity',
    BUSINESS_GRPC_TARGET: 'ipv4:127.0.0.1:1',
    KEY_PEPPERS: secrets.keyPepper,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
    PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
    HTTP_PORT: '0',
    GATEWAY_SECRET: secrets.gatewaySecret,
    PUBLIC_URL: 'https://api.example',
    SESSION_SECRETS: secrets.sessionSecret,
    ENCRYPTION_KEYS: secrets.encryptionKey,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'no-reply@api.example',
  };
}

test.each([
  ['with Redis missing', {}, 'REDIS_URL'],
  ['with gRPC in plain text', { REDIS_URL: 'redis://127.0.0.1:1', GRPC_TLS: 'off' }, 'GRPC_TLS'],
  ['under plain http', { REDIS_URL: 'redis://127.0.0.1:1', PUBLIC_URL: 'http://api.example' }, 'PUBLIC_URL'],
  [
    'as an address with a slash',
    { REDIS_URL: 'redis://127.0.0.1:1', PUBLIC_URL: 'https://a.example/' },
    'PUBLIC_URL',
  ],
  [
    'without a built dashboard',
    { REDIS_URL: 'redis://127.0.0.1:1', DASHBOARD_DIR: '/nowhere' },
    'DASHBOARD_DIR',
  ],
  ['with mails in files', { REDIS_URL: 'redis://127.0.0.1:1', SMTP_URL: '', MAIL_DIR: '/tmp' }, 'SMTP_URL'],
])('identity-service outside local mode refuses to start %s', async (_, env, variable) => {
  const { code, output } = await startWith({ ...almostComplete(), ...env });
  expect(code).toBe(78);
  expect(named(output)).toEqual([variable]);
});

test('identity-service reads secrets from files, and names only variables that are missing', async () => {
  const { GRPC_TLS, GRPC_PORT, OPS_PORT, HTTP_PORT, ...others } = almostComplete();
  const directory = runDirectory().newDirectory('secrets');
  const files = Object.entries(others).map(([name, value]) => {
    const path = join(directory, name);
    writeFileSync(path, `${value}\n`);
    return [`${name}_FILE`, path];
  });
  const missing = join(directory, 'REDIS_URL');
  const { code, output } = await startWith({
    ...Object.fromEntries(files),
    ...{ GRPC_TLS, GRPC_PORT, OPS_PORT, HTTP_PORT, REDIS_URL_FILE: missing },
  });
  expect(code).toBe(78);
  expect(output).toBe(
    'The configuration is not valid:\n  REDIS_URL: REDIS_URL_FILE cannot be read (ENOENT)\n',
  );
});
