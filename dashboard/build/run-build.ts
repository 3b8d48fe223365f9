// Builds the dashboard; the argument is the digest of its sources. Run by ensure-built.ts.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
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
const plain = plainRoot();
try {
  const root = join(plain.root, 'dashboard');
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    build: { outDir: join(root, relative(dashboardRoot, directory)), emptyOutDir: true },
    resolve: { preserveSymlinks: plain.isLink },
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
  plain.remove();
}

/**
 * Path of the project without characters that Vite reads as parts of a URL, as `#` and `%` in the names of folders: its own, or that
 * of a link to it.
 */
function plainRoot() {
  const own = dirname(dashboardRoot);
  if (/^[\w:\\/. -]+$/.test(own)) return { root: own, isLink: false, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  const root = join(folder, 'project');
  symlinkSync(own, root, 'junction');
  return { root, isLink: true, remove: () => rmSync(folder, { recursive: true, force: true }) };
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
