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

/** Entries of the first load; their static imports are counted with them. */
const roots = [
  'index.html',
  'src/pages/overview/overview-page.tsx',
  'src/components/usage-chart/chart-canvas.tsx',
];
/** Bytes of gzip, the larger of the two encodings. */
const budget = 250_000;

/**
 * Measures the first load of a build.
 * @throws when it exceeds the budget, or when one of its entries is not in the manifest and would not be counted
 */
export function measureFirstLoad(directory: string, manifest: Readonly<Record<string, Chunk>>): FirstLoad {
  const missing = roots.filter((name) => !(name in manifest));
  if (missing.length > 0) throw new Error(`Not in the manifest: ${missing.join(', ')}. Were they renamed?`);
  const files = [...reach(roots, manifest)].map((key) => manifest[key]?.file ?? '');
  const size = (ending: string) =>
    files.reduce((sum, file) => sum + statSync(join(directory, file + ending)).size, 0);
  const firstLoad = { brotli: size('.br'), gzip: size('.gz') };
  if (firstLoad.gzip > budget) {
    throw new Error(
      `The first load has ${firstLoad.gzip} bytes of compressed script, over the budget of ${budget}. Load more of it lazily.`,
    );
  }
  return firstLoad;
}

/** The named chunks with all their static imports. */
function reach(names: readonly string[], manifest: Readonly<Record<string, Chunk>>): Set<string> {
  const reached = new Set<string>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    pending.push(...(manifest[name]?.imports ?? []));
  }
  return reached;
}
