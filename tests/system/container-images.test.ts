import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Child, startChild } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { untilReady } from '../../deploy/local/process/until-ready.ts';
import { generateSecrets } from '../../deploy/local/secrets/generate-secrets.ts';
import { createBrowser } from '../harness/browser.ts';
import { request } from '../harness/http-request.ts';
import { type Image, imageBuilder } from '../harness/image.ts';
import { createDatabase } from '../harness/postgres.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';
import { runDirectory } from '../harness/run-directory.ts';

const services = ['business-service', 'identity-service', 'gateway'] as const;
type Service = (typeof services)[number];

const images = new Map<Service, Image>();
const running: Child[] = [];
let redis: TestRedis | undefined;

beforeAll(() => {
  const build = imageBuilder(runDirectory().newDirectory('images'));
  for (const service of services) images.set(service, build(service));
}, 240_000);

afterAll(async () => {
  await Promise.all(running.map((child) => child.stop('SIGTERM', 10_000)));
  await redis?.close();
});

/** Starts the command of an image, as a container would, and waits until it is ready. */
async function start(service: Service, env: Readonly<Record<string, string>>): Promise<void> {
  const image = images.get(service);
  if (image === undefined) throw new Error(`There is no image of ${service}.`);
  const { newLogFile, records } = runDirectory();
  const child = await startChild({
    name: service,
    command: 'sh',
    args: ['-c', 'cd "$0" && exec "$@"', join(image.root, image.workingDirectory), ...image.command],
    env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, ...image.env, ...env },
    logFile: newLogFile(service),
    records,
  });
  running.push(child);
  const isReady = async () => {
    const { status, text } = await request(Number(env.OPS_PORT), 'GET', '/readyz');
    if (status !== 200) throw new Error(text);
  };
  await untilReady(child, isReady, 30_000);
}

test.each(services)(
  'the image of %s holds its sources and packages, and nothing for development',
  (service) => {
    const { root = '', workingDirectory = '' } = images.get(service) ?? {};
    const app = join(root, workingDirectory);
    const parts = [
      'node_modules',
      'package.json',
      'package-lock.json',
      'protos',
      'service-kit',
      ...services,
      'dashboard',
    ];
    expect(readdirSync(app).sort()).toEqual(parts.sort());
    const sources = services.filter((name) => existsSync(join(app, name, 'src')));
    expect(sources).toEqual([service]);
    const packages = readdirSync(join(app, 'node_modules'));
    expect(packages).toContain('pino');
    expect(
      packages.filter((name) => ['typescript', 'prisma', 'jest', 'vite', 'react'].includes(name)),
    ).toEqual([]);
  },
);

test('every service starts from its image in production mode, and a password can be verified', async () => {
  const secrets = generateSecrets();
  const names = [
    'businessHttp',
    'businessGrpc',
    'businessOps',
    'identityHttp',
    'identityGrpc',
    'identityOps',
    'gateway',
    'gatewayOps',
  ];
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, `${await freePort()}`])),
  );
  const common = {
    MODE: 'production',
    GRPC_TLS: 'mesh',
    HTTP_HOST: '127.0.0.1',
    GRPC_HOST: '127.0.0.1',
    OPS_HOST: '127.0.0.1',
  };
  redis = await startRedis();
  await start('business-service', {
    ...common,
    HTTP_PORT: ports.businessHttp,
    GRPC_PORT: ports.businessGrpc,
    OPS_PORT: ports.businessOps,
    DATABASE_URL: await createDatabase(),
    PASSPORT_PUBLIC_KEYS: secrets.passportPublicKey,
  });
  await start('identity-service', {
    ...common,
    HTTP_PORT: ports.identityHttp,
    GRPC_PORT: ports.identityGrpc,
    OPS_PORT: ports.identityOps,
    DATABASE_URL: await createDatabase(),
    REDIS_URL: redis.url,
    BUSINESS_GRPC_TARGET: `ipv4:127.0.0.1:${ports.businessGrpc}`,
    KEY_PEPPERS: secrets.keyPepper,
    PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
    GATEWAY_SECRET: secrets.gatewaySecret,
    SESSION_SECRETS: secrets.sessionSecret,
    ENCRYPTION_KEYS: secrets.encryptionKey,
    PUBLIC_URL: `http://localhost:${ports.gateway}`,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Business API <no-reply@platform.test>',
  });
  await start('gateway', {
    ...common,
    PORT: ports.gateway,
    OPS_PORT: ports.gatewayOps,
    IDENTITY_GRPC_TARGET: `ipv4:127.0.0.1:${ports.identityGrpc}`,
    IDENTITY_HTTP_ORIGINS: `http://127.0.0.1:${ports.identityHttp}`,
    BUSINESS_HTTP_ORIGINS: `http://127.0.0.1:${ports.businessHttp}`,
    GATEWAY_SECRET: secrets.gatewaySecret,
    REDIS_URL: redis.url,
  });
  const browser = createBrowser(Number(ports.gateway));
  expect((await browser.open('/login')).status).toBe(200);
  const refused = await browser.submit('/login', {
    email: 'ada@people.test',
    password: 'seven brass wheels',
  });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('password')]);
});
