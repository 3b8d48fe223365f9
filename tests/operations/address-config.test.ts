import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { generateSecrets } from '../../deploy/local/secrets.ts';
import { createAuthority } from '../harness/certificates.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { namedVariables, startToEnd } from '../harness/start-to-end.ts';

/** A gateway in production mode with everything right. */
function gatewayEnv(): Record<string, string> {
  return {
    ...createAuthority().issue(['gateway']).env,
    PORT: '0',
    OPS_PORT: '0',
    IDENTITY_GRPC_TARGET: 'dns:///identity-service:5000',
    IDENTITY_HTTP_ORIGINS: 'https://identity-service:3000',
    BUSINESS_HTTP_ORIGINS: 'https://business-service:3000,https://[fd00::7]:3000',
    GATEWAY_SECRET: generateSecrets().gatewaySecret,
    CREDENTIAL_TAG_KEYS: generateSecrets().credentialTagKey,
    REDIS_URL: 'redis://127.0.0.1:1',
    PUBLIC_URL: 'https://api.test',
  };
}

function directoryWith(name: string, text: string): string {
  const directory = runDirectory().newDirectory('files');
  writeFileSync(join(directory, name), text);
  return directory;
}

const file = (text: string) => join(directoryWith('file.pem', text), 'file.pem');

const mesh = { GRPC_TLS: 'mesh', BUSINESS_HTTP_ORIGINS: 'http://business-service:3000' };

test.each<[string, Record<string, string>, string[]]>([
  [
    'HTTP in plain text beside gRPC with certificates',
    {
      IDENTITY_HTTP_ORIGINS: 'http://identity-service:3000',
      BUSINESS_HTTP_ORIGINS: 'https://a:1,http://b:1',
    },
    ['BUSINESS_HTTP_ORIGINS', 'IDENTITY_HTTP_ORIGINS'],
  ],
  ['https without certificates', mesh, ['IDENTITY_HTTP_ORIGINS']],
  [
    'origins that are none',
    { IDENTITY_HTTP_ORIGINS: 'https://identity-service:3000/path', BUSINESS_HTTP_ORIGINS: 'nonsense' },
    ['BUSINESS_HTTP_ORIGINS', 'IDENTITY_HTTP_ORIGINS'],
  ],
  [
    'hosts that are none, and a target without a port',
    { HTTP_HOST: 'two words', OPS_HOST: '[::1', IDENTITY_GRPC_TARGET: 'dns:///identity-service' },
    ['HTTP_HOST', 'IDENTITY_GRPC_TARGET', 'OPS_HOST'],
  ],
  [
    'hosts that this machine does not have',
    { HTTP_HOST: '192.0.2.1', OPS_HOST: '2001:db8::1' },
    ['HTTP_HOST', 'OPS_HOST'],
  ],
  ['without its public address', { PUBLIC_URL: '' }, ['PUBLIC_URL']],
  ['a public address with a path', { PUBLIC_URL: 'https://api.test/v2' }, ['PUBLIC_URL']],
  ['documentation that is not built', { DOCS_DIR: '/nowhere' }, ['DOCS_DIR']],
  ['an API document that is none', { API_DIR: directoryWith('api.yaml', 'openapi: 3.0.0') }, ['API_DIR']],
  ['a name that does not resolve', { HTTP_HOST: 'no-such-host.invalid' }, ['HTTP_HOST']],
  [
    'certificates that are not there',
    { GRPC_TLS_CA: '/nowhere/ca.pem', GRPC_TLS_CERT: '/nowhere/cert.pem', GRPC_TLS_KEY: '/nowhere/key.pem' },
    ['GRPC_TLS_CA', 'GRPC_TLS_CERT', 'GRPC_TLS_KEY'],
  ],
])('%s: a configuration error that names every variable', async (_, env, names) => {
  const { code, output } = await startToEnd('gateway', { ...gatewayEnv(), ...env });
  expect({ code, names: namedVariables(output) }).toEqual({ code: 78, names });
});

test('invalid certificates and a key that does not match its certificate are configuration errors', async () => {
  const other = createAuthority().issue(['gateway']).env.GRPC_TLS_KEY;
  const [nonsense, mixed] = await Promise.all([
    startToEnd('gateway', { ...gatewayEnv(), GRPC_TLS_CA: file('nonsense'), GRPC_TLS_CERT: file('') }),
    startToEnd('gateway', { ...gatewayEnv(), GRPC_TLS_KEY: other }),
  ]);
  expect([nonsense.code, namedVariables(nonsense.output)]).toEqual([78, ['GRPC_TLS_CA', 'GRPC_TLS_CERT']]);
  expect([mixed.code, namedVariables(mixed.output)]).toEqual([78, ['GRPC_TLS_KEY']]);
});
