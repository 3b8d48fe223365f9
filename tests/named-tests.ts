import { globSync, readFileSync } from 'node:fs';

/** A row of docs/promises.md: a test of tests/system/ that proves a promise. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
  /** Matches the titles of the test, with those of the describes around it. */
  readonly pattern: string;
}

const root = new URL('..', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Tests of tests/system/ that docs/promises.md names. */
export const namedTests: readonly NamedTest[] = [
  ...read('docs/promises.md').matchAll(/\| `(tests\/system\/\S+)` \| (.+) \|$/gm),
].map(([, file = '', title = '']) => ({ file, title, pattern: `(^| )${patternOf(title)}( |$)` }));

const filesWith = (text: RegExp): readonly string[] =>
  globSync('tests/{promises,system}/*.test.ts', { cwd: root }).filter((path) => text.test(read(path)));

/** Test files that leave no CPU to the tests beside them. */
export const starvingFiles = filesWith(/harness\/busy-cpus\.ts/);

/** Other test files with the time limits of production. */
export const strictFiles = filesWith(/strictTimes: true|strictDatabase/).filter(
  (path) => !starvingFiles.includes(path),
);

/** Matches the title of a test, or of several; `%s` and `$name` stand for something else in each. */
function patternOf(title: string): string {
  const parts = title.split(/%[a-z]|\$\{\w+\}|\$\w+/);
  return parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
}
