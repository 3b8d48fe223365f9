import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Rows `| promise | `file` | title |` of docs/promises.md. */
const rows = [...read('docs/promises.md').matchAll(/^\| .+ \| `(\S+\.test\.ts)` \| (.+) \|$/gm)].map(
  ([, file = '', title = '']) => ({ file, title }),
);

/** The title as it stands in a literal of the source. */
const isIn = (source: string, title: string) =>
  [title, title.replaceAll("'", "\\'")].some((text) => source.includes(text));

test('every promise has a unit, platform, system or resilience test', () => {
  const there = /^(?!tests\/)|^tests\/(platform|system|resilience)\//;
  expect(rows.map(({ file }) => file).filter((file) => !there.test(file))).toEqual([]);
});

test.each(rows)('$file has a test "$title"', ({ file, title }) => {
  expect(existsSync(new URL(file, root))).toBe(true);
  expect(isIn(read(file), title)).toBe(true);
});
