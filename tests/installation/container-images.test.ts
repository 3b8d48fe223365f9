import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startChild, untilReady } from '../../deploy/local/process/child.ts';
import { createBrowser } from '../harness/browser.ts';
import { createAuthority, serviceNames } from '../harness/certificates.ts';
import { request } from '../harness/http-request.ts';
import { type Image, imageBuilder } from '../harness/image.ts';
import { type Production, startProduction } from '../harness/production.ts';
import { runDirectory } from '../harness/run-directory.ts';

const services = ['business-service', 'identity-service', 'webhook-service', 'gateway'] as const;
type Service = (typeof services)[number];

const images = new Map<Service, Image>();
let production: Production | undefined;

beforeAll(() => {
  const build = imageBuilder(runDirectory().newDirectory('images'));
  for (const service of services) images.set(service, build(service));
}, 240_000);

afterAll(() => production?.close());

/** Starts the command of an image, as a container would, and waits until it is ready. */
async function start(service: Service, env: Readonly<Record<string, string>>) {
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
  const isReady = async () => {
    const { status, text } = await request(Number(env.OPS_PORT), 'GET', '/readyz');
    if (status !== 200) throw new Error(text);
  };
  await untilReady(child, isReady, 30_000);
  return { stop: () => child.stop('SIGKILL', 1_000) };
}

test.each(services)(
  'the image of %s holds its sources and packages, and nothing for development',
  (service) => {
    const { root = '', workingDirectory = '' } = images.get(service) ?? {};
    const app = join(root, workingDirectory);
    const { workspaces }: { workspaces: readonly string[] } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    );
    const parts = ['node_modules', 'package.json', 'package-lock.json', ...workspaces];
    expect(readdirSync(app).sort()).toEqual(parts.sort());
    const sources = services.filter((name) => existsSync(join(app, name, 'src')));
    expect(sources).toEqual([service]);
    const packages = readdirSync(join(app, 'node_modules'));
    expect(packages).toContain('pino');
    expect(
      packages.filter((name) =>
        ['typescript', 'prisma', 'jest', 'vite', 'react', 'marked', 'yaml', 'swagger-ui-dist'].includes(name),
      ),
    ).toEqual([]);
  },
);

test('every service starts from its image in production mode, and a password can be verified', async () => {
  const certificate = createAuthority().issue(['127.0.0.1', ...serviceNames]);
  production = await startProduction({ host: '127.0.0.1', start, env: certificate.env });
  const { ports, key } = production;
  expect((await request(ports.gateway, 'GET', '/v2/businesses/me', { key })).status).toBe(200);
  expect((await request(ports.gateway, 'GET', '/docs/reference')).status).toBe(200);
  const browser = createBrowser(ports.gateway);
  expect((await browser.open('/login')).status).toBe(200);
  const refused = await browser.submit('/login', {
    email: 'ada@people.test',
    password: 'seven brass wheels',
  });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('password')]);
});
