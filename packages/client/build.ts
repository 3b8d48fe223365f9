// npm run build -w packages/client: the package as it is published, in dist/. `npm pack packages/client/dist` makes the archive.
// Its name, version and license are those of package.json here; they are decided there.
// The optional argument is a directory to write to instead, as tests that run beside each other do.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const dist = process.argv[2] ?? join(here, 'dist');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.build.json'), '--outDir', dist], {
  stdio: 'inherit',
});

// The compiler rewrites the extensions of imports in the code, but not in declarations.
for (const file of globSync('**/*.d.ts', { cwd: dist })) {
  const text = readFileSync(join(dist, file), 'utf8');
  writeFileSync(join(dist, file), text.replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}

const { private: _, scripts, ...manifest } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const exports = { '.': { types: './index.d.ts', default: './index.js' } };
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
copyFileSync(join(here, 'README.md'), join(dist, 'README.md'));
