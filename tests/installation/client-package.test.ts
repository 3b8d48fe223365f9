import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* packages/client as integrators get it: packed, installed into an empty folder, and used from there. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'packages/client/dist');
const compilers = ['node_modules/typescript', 'dashboard/node_modules/typescript'];
const maxBytes = 10_000;

const platform = running(() => sharedPlatform());
let directory: string;
const run = (command: string, args: readonly string[], env = {}) =>
  execFileSync(command, args, { cwd: directory, encoding: 'utf8', env: { ...process.env, ...env } });

beforeAll(() => {
  directory = runDirectory().newDirectory('client-package');
  execFileSync(process.execPath, [join(root, 'packages/client/build.ts')]);
  const archive = run('npm', ['pack', dist, '--silent']).trim();
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive]);
});

/** Uses every part of the package. */
const program = `
import { ApiError, Client, OAuth, type Order, verifyWebhook } from '@business-api/client';

const [baseUrl = '', credential = ''] = process.argv.slice(2);
const client = new Client({ baseUrl, credential });
const body = { currency: 'EUR', line_items: [{ name: 'Tea', quantity: 1, unit_amount: 450 }], customer: { name: 'Ada' } };
const { data: order } = await client.request('POST /v2/order', { body });
const path = { id: order.id };
await client.request('PATCH /v2/order/{id}', { path, body: { status: 'paid' } });
const orders: Order[] = [];
for await (const each of client.each('GET /v2/order')) orders.push(each);
const unknown: unknown = await client.request('GET /v2/order/{id}', { path: { id: 'ord_0' } }).catch((error) => error);
const oauth = new OAuth({ baseUrl, clientId: 'app_1', clientSecret: 'cs_1', redirectUri: 'https://app.example/' });
const { url } = await oauth.begin();
const forged: unknown = await verifyWebhook('{}', {}, 'whsec_AAAA').catch((error) => error);
console.log(JSON.stringify({
  orders: orders.map(({ id, status }) => [id === order.id, status]),
  unknown: unknown instanceof ApiError && [unknown.name, unknown.code],
  path: new URL(url).pathname,
  forged: String(forged),
}));
`;

test('its types are those of the document, for two versions of TypeScript', () => {
  writeFileSync(join(directory, 'program.ts'), program);
  for (const compiler of compilers) {
    const config = {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        target: 'es2022',
        module: 'nodenext',
        lib: ['es2022', 'dom'],
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        noEmitOnError: true,
      },
      files: ['program.ts'],
    };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
    expect(run(process.execPath, [join(root, compiler, 'bin/tsc')])).toBe('');
  }
});

test('a program in plain JavaScript uses it against the platform', async () => {
  const { keyString } = await platform.createKey({});
  const printed = run(process.execPath, ['program.js', platform.publicUrl, keyString]);
  expect(JSON.parse(printed)).toEqual({
    orders: [[true, 'paid']],
    unknown: ['NotFoundError', 'not_found'],
    path: '/oauth/authorize',
    forged: 'WebhookError: the delivery is too old, or ahead',
  });
});

test('it has no dependency, and all of its code is at most 10 kB compressed', () => {
  const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
  expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([]);
  const source = JSON.parse(readFileSync(join(root, 'packages/client/package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: source.name, version: source.version, license: source.license });
  const code = readdirSync(dist).filter((name) => name.endsWith('.js'));
  // A bundle is smaller: it has neither comments nor imports.
  const bytes = gzipSync(Buffer.concat(code.map((name) => readFileSync(join(dist, name)))), {
    level: 9,
  }).length;
  expect(bytes).toBeLessThanOrEqual(maxBytes);
});
