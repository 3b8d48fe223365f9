// Builds the dashboard; the argument is the digest of its sources. Run by ensure-built.ts.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import type { Build } from './ensure-built.ts';
import { measureFirstLoad } from './first-load.ts';
import { dashboardRoot, outputDirectory, stampFile } from './paths.ts';

/** Milliseconds for which assets of earlier builds are kept. */
const keepMs = 30 * 24 * 3_600_000;

const [sources = ''] = process.argv.slice(2);
mkdirSync(outputDirectory, { recursive: true });
// Concurrent builds: each uses its own directory and then replaces the output file by file.
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

/** Writes `.br` and `.gz` next to each file of a directory. */
function compressFiles(assets: string): void {
  for (const name of readdirSync(assets)) {
    const file = join(assets, name);
    const content = readFileSync(file);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}

/** Moves a finished build into the output directory: assets first, so that the new page finds them. */
function publish(buildDirectory: string): void {
  const assets = join(outputDirectory, 'assets');
  mkdirSync(assets, { recursive: true });
  const now = new Date();
  for (const name of readdirSync(join(buildDirectory, 'assets'))) {
    renameSync(join(buildDirectory, 'assets', name), join(assets, name));
    utimesSync(join(assets, name), now, now);
  }
  renameSync(join(buildDirectory, 'index.html'), join(outputDirectory, 'index.html'));
  for (const name of readdirSync(assets)) {
    if (now.getTime() - statSync(join(assets, name)).mtimeMs > keepMs) rmSync(join(assets, name));
  }
}
