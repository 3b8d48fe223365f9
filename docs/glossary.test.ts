import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));

const glossary = readFileSync(new URL('glossary.md', import.meta.url), 'utf8');

/** Words of the glossary's second table, left column. */
const unused = glossary
  .slice(glossary.indexOf('| Instead of'))
  .split('\n')
  .filter((line) => /^\| [a-z]/.test(line))
  .flatMap((line) => line.split('|')[1]?.split(',') ?? [])
  .map((word) => word.trim());

/**
 * A word at the start of a word or inside a name: `answer`, `Answered`, `sendAnswer`. Not `default` for `fault`, and not
 * names with underscores or in quotes, which are values: metrics, columns, variables, users.
 */
const patterns = unused.map((word) => {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  const end = word.includes(' ') ? String.raw`\b` : String.raw`(?!\w*_)`;
  return `(?<![A-Za-z_])(?!(?<=['"\`])\\w+['"\`])(?:${word}|${capital}|${word.toUpperCase()})${end}|(?<=[a-z])${capital}${end}`;
});

const pattern = new RegExp([...patterns, String.raw`/\*\* (?:What|Who)\b`].join('|'), 'g');

const texts = /\.(?:ts|tsx|md|lua|proto|sql|ya?ml|sh|css|html|prisma)$|Dockerfile$/;

test('the table lists words', () => expect(unused).toContain('answer'));

test.each(['sendAnswer(', 'an answer', 'Answered', 'faults', 'isFaulty', '/** What it does. */'])(
  '%j is found',
  (text) => expect(text).toMatch(pattern),
);

test.each([
  'default',
  "'nobody'",
  'gateway_answers_total',
  'ANSWER_CACHE',
  'responds',
  'for every',
  '/** Whether it is so. */',
])('%j is not', (text) => expect(text).not.toMatch(pattern));

test('no source, text or document uses a word that the glossary replaces', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    // Prisma keeps a checksum of each applied migration.
    .filter((file) => texts.test(file) && !/^docs\/glossary|\/migrations\//.test(file));
  const found = files.flatMap((file) =>
    readFileSync(`${root}${file}`, 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.match(pattern) ?? []).map((word) => `${file}:${index + 1} ${word}`)),
  );
  expect(found).toEqual([]);
});
