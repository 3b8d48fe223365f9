import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../', import.meta.url);

test('test files on the shared platform take their email addresses from newAddress(), so that none collide', () => {
  const sources = globSync('tests/{platform,system}/*.test.ts', { cwd: root })
    .map((name) => ({ name, source: readFileSync(new URL(name, root), 'utf8') }))
    .filter(({ source }) => /\b(await |running\()sharedPlatform/.test(source));
  expect(sources.length).toBeGreaterThan(20);
  const fixed = sources.filter(({ source }) => source.includes('@people.test'));
  expect(fixed.map(({ name }) => name)).toEqual([]);
});
