import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { run } from '../program.ts';

async function scriptOf(shell: string): Promise<string> {
  const lines: string[] = [];
  const code = await run(['completion', shell], {
    terminal: {
      stdin: process.stdin,
      out: (line) => void lines.push(line),
      note: (line) => void lines.push(line),
      columns: undefined,
      hasColors: false,
    },
    env: {},
    name: 'business-api',
    version: '1',
    platform: 'https://api.example.com',
    signal: new AbortController().signal,
  });
  expect(code).toBe(0);
  return lines.join('\n');
}

describe('bash completes', () => {
  test.each([
    [['or'], ['orders']],
    [['orders', 'l'], ['list']],
    [['--json', 'orders', 'list', '--st'], ['--status']],
    [['trigger', 'order.p'], ['order.paid']],
    [['orders', 'list', '--profile', 'shop', '--li'], ['--limit']],
    [['tail', '--from'], ['--from-start']],
  ])('%j to %j', async (words, expected) => {
    const line = ['business-api', ...words].map((word) => `'${word}'`).join(' ');
    const script = `${await scriptOf('bash')}
COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _business_api; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')).toEqual(expected);
  });
});

test('zsh takes over the script of bash, and fish gets every command', async () => {
  expect(await scriptOf('zsh')).toContain(await scriptOf('bash'));
  const fish = await scriptOf('fish');
  expect(fish).toContain(
    "-n '__fish_seen_subcommand_from orders; and __fish_seen_subcommand_from create' -a '--data ",
  );
});
