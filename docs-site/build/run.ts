// Builds the site from the sources of the digest that is the argument. npm run build decides whether to.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { readApi } from '@platform/service-kit/api/api.ts';
import { outputDirectory, root } from './ensure-built.ts';
import { renderSite } from './site.ts';

const [sources = ''] = process.argv.slice(2);
// Built beside the old one and put in its place as a whole.
const workDirectory = join(root, `.build-${process.pid}`);
const directory = join(workDirectory, 'dist');
try {
  for (const [path, content] of renderSite(readApi())) {
    write(path, content);
    // Pages are compressed by the gateway, which puts its address in.
    if (path.startsWith('assets/')) compress(path, content);
  }
  write('stamp.json', JSON.stringify({ sources }));
  rmSync(outputDirectory, { recursive: true, force: true });
  renameSync(directory, outputDirectory);
} finally {
  rmSync(workDirectory, { recursive: true, force: true });
}

function write(path: string, content: Buffer | string): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function compress(path: string, content: Buffer): void {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  write(`${path}.br`, brotliCompressSync(content, { params }));
  write(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}
