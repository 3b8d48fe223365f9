// Builds the dashboard from the sources of the digest that is the argument. npm run build decides whether to.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { compressFiles } from './compress.ts';
import type { Build } from './ensure-built.ts';
import { measureFirstLoad } from './first-load.ts';
import { dashboardRoot, outputDirectory, stampFile } from './paths.ts';
import { publish } from './publish.ts';

const [sources = ''] = process.argv.slice(2);
mkdirSync(outputDirectory, { recursive: true });
// Several may build at once: each into a directory of its own, and a build replaces the other file by file.
const directory = mkdtempSync(join(outputDirectory, '.build-'));
try {
  await build({
    configFile: join(dashboardRoot, 'vite.config.ts'),
    build: { outDir: directory, emptyOutDir: true },
  });
  compressFiles(join(directory, 'assets'));
  const manifest = JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8'));
  const stamp: Build = { sources, firstLoad: measureFirstLoad(directory, manifest) };
  publish(directory);
  writeFileSync(stampFile, JSON.stringify(stamp));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
