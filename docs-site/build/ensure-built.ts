import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folder of the documentation. */
export const root = resolve(import.meta.dirname, '..');

/** The latest build. */
export const outputDirectory = join(root, 'dist');

/** Files and folders that the site is built from, beside the lock file. */
const sources = [
  'build',
  'guides',
  'scripts',
  'styles',
  '../service-kit/src/api',
  '../service-kit/src/styles',
  'icon.svg',
  '../api/platform.yaml',
  'package.json',
];

/** Builds the site unless the latest build has the same sources. @throws when they cannot be built */
export function ensureDocsBuilt(): { readonly built: boolean } {
  const wanted = digestOfSources();
  if (latestBuild() === wanted) return { built: false };
  // A process of its own: an up-to-date site needs neither the renderer nor its dependencies.
  const { status } = spawnSync(process.execPath, ['build/run.ts', wanted], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0 || latestBuild() !== wanted) {
    throw new Error('The documentation cannot be built; see above.');
  }
  return { built: true };
}

/** Digest of the sources of the latest build; undefined where there is none. */
function latestBuild(): unknown {
  try {
    return JSON.parse(readFileSync(join(outputDirectory, 'stamp.json'), 'utf8')).sources;
  } catch {
    return undefined;
  }
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const file of [...sources.flatMap(filesBelow), '../package-lock.json']) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesBelow(source: string): string[] {
  if (/\.\w+$/.test(source)) return [source];
  return readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.\w+$/.test(name) && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(source, name));
}
