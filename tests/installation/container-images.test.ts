import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startChild, untilReady } from '../../deploy/local/process/child.ts';
import { createBrowser } from '../harness/browser.ts';
import { createAuthority, serviceNames } from '../harness/certificates.ts';
import { request } from '../harness/http-request.ts';
import { type Image, imageBuilder } from '../harness/image.ts';
import { type Production, startProduction } from '../harness/production.ts';
import { runDirectory } from '../harness/run-directory.ts';

const services = ['business-service', 'identity-service', 'webhook-service', 'gateway'] as const;
type Service = (typeof services)[number];

/** Packages of the renderer of the documentation. */
const renderer = ['marked', 'highlight.js', 'minisearch'];

/** Workspaces whose pages a service serves. */
const pages: Readonly<Partial<Record<Service, readonly string[]>>> = {
  gateway: ['docs-site'],
  'identity-service': ['dashboard'],
};

/** A bill of materials in the format of CycloneDX 1.5. */
const bill = z.object({
  bomFormat: z.string(),
  components: z.array(z.object({ name: z.string(), licenses: z.array(z.unknown()).optional() })),
});

const images = new Map<Service, Image>();
let production: Production | undefined;

beforeAll(() => {
  const build = imageBuilder(runDirectory().newDirectory('images'));
  for (const service of services) images.set(service, build(service));
}, 600_000);

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
  await untilReady(child, isReady, 90_000);
  return { stop: () => child.stop('SIGKILL', 1_000) };
}

test.each(services)(
  'the image of %s holds its sources and packages, and nothing for development',
  (service) => {
    const { root = '', workingDirectory = '' } = images.get(service) ?? {};
    const app = join(root, workingDirectory);
    const files = ['node_modules', 'package.json', 'package-lock.json', 'sbom.cdx.json'];
    const parts = [...files, 'api', 'protos', 'service-kit', service, ...(pages[service] ?? [])];
    expect(readdirSync(app).sort()).toEqual(parts.sort());
    const packages = readdirSync(join(app, 'node_modules'));
    expect(packages).toContain('pino');
    const foreign = ['typescript', 'prisma', 'jest', 'vite', 'react', ...renderer];
    const own = service === 'gateway' ? renderer : [];
    expect(packages.filter((name) => foreign.includes(name)).sort()).toEqual(own.toSorted());
  },
);

test.each(services)('the image of %s adds less than 110 MB to that of Node', (service) => {
  const kilobytes = execFileSync('du', ['-sk', images.get(service)?.root ?? ''], { encoding: 'utf8' });
  expect(Number.parseInt(kilobytes, 10) / 1024).toBeLessThan(110);
});

test.each(services)('the image of %s lists its packages and their licences', (service) => {
  const { root = '', workingDirectory = '' } = images.get(service) ?? {};
  const app = join(root, workingDirectory);
  const { bomFormat, components } = bill.parse(JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')));
  expect(bomFormat).toBe('CycloneDX');
  const listed = new Set(components.map(({ name }) => name));
  const packages = readdirSync(join(app, 'node_modules')).filter((name) => !/^[.@]/.test(name));
  expect(packages.filter((name) => !listed.has(name))).toEqual([]);
  expect(listed).toContain('@grpc/grpc-js');
  expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
});

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
