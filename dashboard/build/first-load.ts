import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of compressed script that a browser loads before the landing page is complete. */
export interface FirstLoad {
  readonly brotli: number;
  readonly gzip: number;
}

/** A chunk as Vite's manifest describes it. */
export interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

/** What the first load consists of, with everything that these import statically. */
const roots = [
  'index.html',
  'src/pages/overview/overview-page.tsx',
  'src/parts/usage-chart/chart-canvas.tsx',
];
/** Budget in bytes, of the larger of the two encodings. */
const budget = 250_000;

/** Measures the first load of a build. @throws when it has outgrown the budget */
export function measureFirstLoad(directory: string, manifest: Readonly<Record<string, Chunk>>): FirstLoad {
  const files = [...reach(roots, manifest)].map((key) => manifest[key]?.file ?? '');
  const size = (ending: string) =>
    files.reduce((sum, file) => sum + statSync(join(directory, file + ending)).size, 0);
  const firstLoad = { brotli: size('.br'), gzip: size('.gz') };
  if (firstLoad.gzip > budget) {
    throw new Error(
      `The first load has ${firstLoad.gzip} bytes of compressed script, more than ${budget}: load what it can do without later.`,
    );
  }
  return firstLoad;
}

/** The chunks under these names and all that they import statically. */
function reach(names: readonly string[], manifest: Readonly<Record<string, Chunk>>): Set<string> {
  const reached = new Set<string>();
  const pending = names.filter((name) => name in manifest);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    pending.push(...(manifest[name]?.imports ?? []));
  }
  return reached;
}
