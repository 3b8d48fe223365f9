import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardRoot } from './paths.ts';

/** What builds come from, beside the lock file. */
const sources = ['build', 'src', 'build.ts', 'index.html', 'package.json', 'vite.config.ts'];

/** Digest of everything that a build depends on. */
export function sourceStamp(): string {
  const hash = createHash('sha256');
  const files = [...sources.flatMap(filesBelow), '../package-lock.json'];
  for (const file of files) {
    const content = readFileSync(join(dashboardRoot, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesBelow(source: string): string[] {
  if (/\.\w+$/.test(source)) return [source];
  return readdirSync(join(dashboardRoot, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(dashboardRoot.length + 1))
    .sort();
}
