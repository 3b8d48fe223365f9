import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])(
  'each source file that %s names exists',
  (document) => {
    const text = readFileSync(`${root}${document}`, 'utf8');
    const names = Array.from(
      text.matchAll(/`([\w./-]+\.(?:tsx?|lua|proto|prisma))`/g),
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(10);
    // A line or a section names the folder of the files in it once.
    expect(names.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  },
);
