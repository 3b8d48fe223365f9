import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from './compile-cache.ts';

const program = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

interface CliOptions {
  /** The only variables of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** All of its standard input; without it, the input stays open. */
  readonly input?: string;
}

/** `packages/cli` while it runs. Output is complete once it has ended. */
export interface RunningCli {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** Starts the command line program as an integrator does, with pipes instead of a terminal. */
export function startCli(args: readonly string[], { env, input }: CliOptions): RunningCli {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    env: { ...compileCache, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  // It may end before it has read.
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  const ended = once(child, 'close').then(([code]) => ({ code, out, err }));
  return { child, ended, out: () => out, err: () => err };
}
