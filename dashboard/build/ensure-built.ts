import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { FirstLoad } from './first-load.ts';
import { dashboardRoot, stampFile } from './paths.ts';
import { sourceStamp } from './source-stamp.ts';

/** The latest build. */
export interface Build {
  /** Digest of its sources. */
  readonly sources: string;
  readonly firstLoad: FirstLoad;
}

/**
 * Builds the dashboard unless the latest build has the same sources.
 * @throws when the sources cannot be built, or the first load has outgrown its budget
 */
export function ensureBuilt(): Build & { readonly built: boolean } {
  const sources = sourceStamp();
  const latest = latestBuild();
  if (latest?.sources === sources) return { ...latest, built: false };
  // A process of its own: whoever only asks whether there is something to do need not load the bundler.
  const { status } = spawnSync(process.execPath, ['build/run-build.ts', sources], {
    cwd: dashboardRoot,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  });
  const build = latestBuild();
  if (status !== 0 || build === undefined) throw new Error('The dashboard cannot be built; see above.');
  return { ...build, built: true };
}

function latestBuild(): Build | undefined {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return undefined;
  }
}
