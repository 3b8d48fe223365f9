// npm run build -w packages/cli: the package as it is published, in dist/. `npm pack packages/cli/dist` makes the archive.
// Names, version, license and the address of the platform are those of package.json here; they are decided there.
// The optional argument is a directory to write to instead, as tests that run beside each other do.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const dist = process.argv[2] ?? join(here, 'dist');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync(dist, { recursive: true, force: true });
const args = ['-p', join(here, 'tsconfig.build.json'), '--outDir', join(dist, 'lib')];
execFileSync(process.execPath, [tsc, ...args], { stdio: 'inherit' });
chmodSync(join(dist, 'lib/main.js'), 0o755);

const {
  private: _,
  scripts,
  bin,
  ...manifest
} = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const published = Object.fromEntries(Object.keys(bin).map((name) => [name, './lib/main.js']));
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ ...manifest, bin: published }, null, 2)}\n`);
copyFileSync(join(here, 'README.md'), join(dist, 'README.md'));
