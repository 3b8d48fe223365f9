import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { generateSecrets } from '../../deploy/local/secrets/generate-secrets.ts';
import { serviceCommand } from '../../deploy/local/service-command.ts';

/** Starts identity-service with exactly these variables. Resolves to how it ended. */
function startWith(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  const { command, args } = serviceCommand('identity-service');
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 10_000 });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

/** Variables that an output complains about. */
const named = (output: string) =>
  [...new Set([...output.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name))].sort();

test('nothing set: every variable that is needed is named at once', async () => {
  const { code, output } = await startWith({});
  expect(code).toBe(78);
  expect(named(output)).toEqual([
    'BUSINESS_GRPC_TARGET',
    'DATABASE_URL',
    'GRPC_PORT',
    'GRPC_TLS_CA',
    'GRPC_TLS_CERT',
    'GRPC_TLS_KEY',
    'KEY_PEPPERS',
    'OPS_PORT',
    'PASSPORT_PRIVATE_KEY',
    'REDIS_URL',
  ]);
});

test('everything wrong: each fault is named, and no value is repeated', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const values = {
    MODE: 'production',
    GRPC_TLS: 'off',
    GRPC_PORT: '70000',
    OPS_PORT: 'eighty',
    DATABASE_URL: 'mysql://root:hunter2@db/identity',
    REDIS_URL: 'http://:hunter3@redis',
    KEY_PEPPERS: 'short,changeme-changeme-changeme-changeme',
    PASSPORT_PRIVATE_KEY: rsa.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    BUSINESS_GRPC_TARGET: 'ipv4:127.0.0.1:1',
  };
  const { code, output } = await startWith(values);
  expect(code).toBe(78);
  expect(named(output)).toEqual([
    'DATABASE_URL',
    'GRPC_PORT',
    'GRPC_TLS',
    'KEY_PEPPERS',
    'OPS_PORT',
    'PASSPORT_PRIVATE_KEY',
    'REDIS_URL',
  ]);
  expect(output).toContain('KEY_PEPPERS.0: must have at least 32 characters');
  expect(output).toContain('KEY_PEPPERS.1: looks like a placeholder');
  for (const value of ['hunter2', 'hunter3', 'short', 'changeme', values.PASSPORT_PRIVATE_KEY]) {
    expect(output).not.toContain(value);
  }
});

test.each([
  ['with Redis missing', {}, 'REDIS_URL'],
  ['with gRPC in plain text', { REDIS_URL: 'redis://127.0.0.1:1', GRPC_TLS: 'off' }, 'GRPC_TLS'],
])('outside local mode it refuses to start %s', async (_, env, variable) => {
  const secrets = generateSecrets();
  const { code, output } = await startWith({
    GRPC_TLS: 'mesh',
    GRPC_PORT: '0',
    OPS_PORT: '0',
    DATABASE_URL: 'postgresql://127.0.0.1:1/identity',
    BUSINESS_GRPC_TARGET: 'ipv4:127.0.0.1:1',
    KEY_PEPPERS: secrets.keyPepper,
    PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
    ...env,
  });
  expect(code).toBe(78);
  expect(named(output)).toEqual([variable]);
});
