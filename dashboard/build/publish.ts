import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { outputDirectory } from './paths.ts';

/** Milliseconds for which the assets of earlier builds are kept. */
const keepMs = 30 * 24 * 3_600_000;

/** Puts a finished build into its place. Assets first: whoever sees the new page finds what it loads. */
export function publish(buildDirectory: string): void {
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
