#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { run } from './program.ts';

const { bin, version, platform } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const { env, stdin, stdout, stderr } = process;

const end = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => end.abort());
// The reader of a pipe may have read enough, as `head` has.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 70));

process.exitCode = await run(process.argv.slice(2), {
  terminal: {
    stdin,
    out: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    columns: stdout.isTTY ? stdout.columns : undefined,
    hasColors: stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb',
  },
  env,
  name: Object.keys(bin)[0] ?? '',
  version,
  platform,
  signal: end.signal,
});
