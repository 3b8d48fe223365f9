import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const source = fileURLToPath(new URL('.', import.meta.url));

/** Wings, the lowest first, as docs/architecture.md has them. */
const architecture = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
const [, order = ''] = /imports only those before it in\s+this order: ([^;]*?)\.\n/.exec(architecture) ?? [];
const wings = Array.from(order.matchAll(/`([a-z]+)\/`/g), ([, wing = '']) => wing);

const imports = /(?:from|import\()\s*'(\.[^']+)'/g;

/** `file → file` for each import of a wing that does not stand before the one that imports it. */
function importsUp(file: string): string[] {
  const own = wings.indexOf(file.split('/', 1)[0] ?? '');
  const targets = Array.from(readFileSync(join(source, file), 'utf8').matchAll(imports), ([, path = '']) =>
    normalize(join(file, '..', path)),
  );
  return targets
    .filter((target) => wings.indexOf(target.split('/', 1)[0] ?? '') > own)
    .map((target) => `${file} → ${target}`);
}

const files = globSync('*/**/*.ts', { cwd: source }).filter((file) => !file.startsWith('generated/'));

test('every source folder is listed as a wing in docs/architecture.md', () => {
  expect([...new Set(files.map((file) => file.split('/', 1)[0]))].sort()).toEqual([...wings].sort());
});

test('a wing imports no wing above it', () => {
  expect(files.flatMap(importsUp)).toEqual([]);
});
