import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Chunk, measureFirstLoad } from './first-load.ts';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'first-load-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

/** A chunk whose compressed files have these sizes in bytes. */
function chunk(file: string, gzip: number, imports: readonly string[] = []): Chunk {
  writeFileSync(join(directory, `${file}.gz`), 'x'.repeat(gzip));
  writeFileSync(join(directory, `${file}.br`), 'x'.repeat(gzip - 1));
  return { file, imports };
}

const page = 'src/pages/overview/overview-page.tsx';
const chart = 'src/components/usage-chart/chart-canvas.tsx';

const manifest = (): Record<string, Chunk> => ({
  'index.html': chunk('index.js', 100, ['_shared.js']),
  [page]: chunk('overview.js', 20, ['_shared.js']),
  [chart]: chunk('chart.js', 30),
  '_shared.js': chunk('shared.js', 1_000),
  'src/pages/keys/keys-page.tsx': chunk('keys.js', 5_000),
});

test('a shared chunk is counted once, a page that loads later not at all', () => {
  expect(measureFirstLoad(directory, manifest())).toEqual({ gzip: 1_150, brotli: 1_146 });
});

test('a build over the budget fails', () => {
  const heavy = { ...manifest(), [chart]: chunk('chart.js', 250_000) };
  expect(() => measureFirstLoad(directory, heavy)).toThrow('over the budget');
});

test('an entry that was renamed fails the build instead of not being counted', () => {
  const { [chart]: _, ...rest } = manifest();
  expect(() => measureFirstLoad(directory, rest)).toThrow(`Not in the manifest: ${chart}`);
});
