import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* packages/cli as integrators get it: packed, installed into an empty folder beside the packed client, and used from there. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'));
const [program = ''] = Object.keys(source.bin);

const platform = running(() => sharedPlatform());
let directory: string;
let dist: string;
const run = (command: string, args: readonly string[], { env = {}, input = '' } = {}) =>
  execFileSync(command, args, { cwd: directory, encoding: 'utf8', input, env: { ...process.env, ...env } });
/** Runs the installed program, with a home of its own. */
const cli = (args: readonly string[], input = '') =>
  run(join(directory, 'node_modules/.bin', program), args, {
    env: { XDG_CONFIG_HOME: join(directory, 'settings') },
    input,
  });

beforeAll(() => {
  directory = runDirectory().newDirectory('cli-package');
  dist = join(directory, 'cli');
  for (const name of ['client', 'cli']) {
    execFileSync(process.execPath, [join(root, 'packages', name, 'build.ts'), join(directory, name)]);
  }
  // The registry would bring the last one.
  const folders = [join(directory, 'client'), dist, join(root, 'node_modules/commander')];
  const archives = folders.map((folder) => run('npm', ['pack', folder, '--silent']).trim());
  writeFileSync(join(directory, 'package.json'), '{}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives]);
});

test('the installed program logs in, creates an order and lists it with its event', async () => {
  const { keyString } = await platform.createKey();
  expect(cli(['--version'])).toBe(`${source.version}\n`);
  expect(cli(['login', '--key', '-', '--url', platform.publicUrl], keyString)).toContain('Logged in');
  const { order } = JSON.parse(cli(['trigger', 'order.paid', '--real', '--json']));
  expect(cli(['orders', 'list'])).toContain(order);
  const events = cli(['events', 'list', '--types', 'order.paid', '--json']).trim().split('\n');
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ type: 'order.paid', data: { id: order } });
});

test('it has no other dependencies than the client and its parser, and the name of package.json', () => {
  const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
  const client = JSON.parse(readFileSync(join(root, 'packages/client/package.json'), 'utf8'));
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  expect(manifest.dependencies).toEqual({
    [client.name]: client.version,
    commander: locked['node_modules/commander'].version,
  });
  expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual(['dependencies']);
  const { name, version, license, platform: url } = source;
  expect(manifest).toMatchObject({ name, version, license, platform: url });
});

test('it has neither tests nor sources', () => {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(
    files
      .map(({ name }) => name)
      .filter((name) => !/^\w[\w-]*\.js$/.test(name))
      .sort(),
  ).toEqual(['README.md', 'package.json']);
});
