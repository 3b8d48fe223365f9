import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const folder = new URL('../tests/system/', import.meta.url);

test('test files on the shared platform take their mail addresses from newAddress(), so that no two meet on one', () => {
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => ({ name, source: readFileSync(new URL(name, folder), 'utf8') }))
    .filter(({ source }) => source.includes('await sharedPlatform('));
  expect(sources.length).toBeGreaterThan(20);
  const fixed = sources.filter(({ source }) => source.includes('@people.test'));
  expect(fixed.map(({ name }) => name)).toEqual([]);
});
