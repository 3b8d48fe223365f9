import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FirstLoad } from './first-load.ts';
import { dashboardRoot, stampFile } from './paths.ts';

/** The latest build. */
export interface Build {
  /** Digest of its sources. */
  readonly sources: string;
  readonly firstLoad: FirstLoad;
}

/**
 * Builds the dashboard unless the latest build has the same sources.
 * @throws when the build fails, or the first load exceeds its budget
 */
export function ensureBuilt(): Build & { readonly built: boolean } {
  const sources = digestSources();
  const latest = latestBuild();
  if (latest?.sources === sources) return { ...latest, built: false };
  // A separate process, so that an up-to-date build does not load the bundler.
  const { status } = spawnSync(process.execPath, ['build/run-build.ts', sources], {
    cwd: dashboardRoot,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  });
  const build = latestBuild();
  if (status !== 0 || build === undefined) throw new Error('The build of the dashboard failed; see above.');
  return { ...build, built: true };
}

function latestBuild(): Build | undefined {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Inputs of the build, besides the lock file. */
const sources = [
  'build',
  'src',
  'build.ts',
  'index.html',
  'package.json',
  'vite.config.ts',
  // The receiver check shows its code.
  '../docs-site/guides/webhooks.md',
];

function digestSources(): string {
  const hash = createHash('sha256');
  for (const file of [...sources.flatMap(listFiles), '../package-lock.json']) {
    const content = readFileSync(join(dashboardRoot, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function listFiles(source: string): string[] {
  if (/\.\w+$/.test(source)) return [source];
  return readdirSync(join(dashboardRoot, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(dashboardRoot.length + 1))
    .sort();
}
