import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, type Exit, startChild } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { processStart, sendSignal } from '../../deploy/local/process/record.ts';
import { runDirectory } from './run-directory.ts';

/** `npm start`, or `npm run dev`, in a terminal. */
export interface NpmStart {
  readonly exited: Promise<Exit>;
  /** Its output so far. */
  output(): string;
  /** Waits until it prints a text. @throws with all of its output when it ends first, or is too slow */
  untilPrinted(text: string): Promise<void>;
  /** Waits for the banner. Returns the request that the banner shows. */
  untilReady(): Promise<string>;
  /** Ctrl-C: the terminal sends it to npm and to what npm runs. */
  ctrlC(): void;
  /** SIGKILL to the launcher itself, which is not npm's process. */
  killLauncher(): void;
  /** Names of the parts of the platform that run. */
  parts(): string[];
  /** Process of a part; undefined when it does not run. */
  pidOf(name: string): number | undefined;
  /** Sends a signal to one part. @throws when it does not run */
  signalPart(name: string, signal: NodeJS.Signals): void;
  /** Remembers all current processes. The result lists those that still run. */
  snapshot(): () => string[];
}

/** A start takes half a minute beside other tests: its programs start one after the other. */
const longestMs = 240_000;

/**
 * Runs `npm start` on a directory, of this project or a copy of it. Ends with the test run whatever happens.
 * @param given arguments behind `--`
 */
export async function npmStart(
  localDirectory: string,
  env: Readonly<Record<string, string>> = {},
  script: 'start' | 'dev' = 'start',
  project = '.',
  given: readonly string[] = [],
): Promise<NpmStart> {
  const { newLogFile, records } = runDirectory();
  const { PATH = '', HOME = '' } = process.env;
  const ports = { PORT: `${await freePort()}`, CALLBACK_PORT: `${await freePort()}` };
  const child = await startChild({
    name: 'npm start',
    command: 'npm',
    args: ['run', script, '--silent', '--prefix', project, '--', ...given],
    env: { PATH, HOME, ...ports, LOCAL_DIR: localDirectory, ...env },
    logFile: newLogFile('npm-start'),
    records,
    endSignal: 'SIGTERM',
  });
  const output = () => readFileSync(child.logFile, 'utf8');
  const untilPrinted = (text: string) => printed(child, output, text);
  return {
    exited: child.exited,
    output,
    untilPrinted,
    untilReady: async () => {
      await untilPrinted('Ctrl-C stops everything.');
      return /^ *(curl .*)$/m.exec(output())?.[1] ?? '';
    },
    ctrlC: () => child.isRunning() && sendSignal(-child.pid, 'SIGINT'),
    killLauncher: () => {
      const launcher = Number.parseInt(readFileSync(join(localDirectory, 'lock'), 'utf8'), 10);
      if (!(launcher > 1)) throw new Error('The lock names no process.');
      sendSignal(launcher, 'SIGKILL');
    },
    parts: () => [...runningParts(localDirectory).keys()],
    pidOf: (name) => runningParts(localDirectory).get(name),
    signalPart: (name, signal) => {
      const pid = runningParts(localDirectory).get(name);
      if (pid === undefined) throw new Error(`${name} does not run.`);
      sendSignal(pid, signal);
    },
    snapshot: () => {
      const running = [...runningParts(localDirectory)];
      return () => running.filter(([, pid]) => processStart(pid) !== undefined).map(([name]) => name);
    },
  };
}

async function printed(child: Child, output: () => string, text: string): Promise<void> {
  const giveUpAt = performance.now() + longestMs;
  for (;;) {
    // Before the last check of its output.
    const isOver = !child.isRunning() || performance.now() >= giveUpAt;
    if (output().includes(text)) return;
    if (isOver) {
      const how = child.isRunning() ? 'runs' : 'ended';
      throw new Error(`npm start ${how} and did not print "${text}":\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function runningParts(localDirectory: string): ReadonlyMap<string, number> {
  const all = join(localDirectory, 'processes');
  const parts = new Map<string, number>();
  for (const launcher of readdirSync(all)) {
    for (const pid of readdirSync(join(all, launcher))) {
      const { name } = JSON.parse(readFileSync(join(all, launcher, pid), 'utf8'));
      if (processStart(Number(pid)) !== undefined) parts.set(name, Number(pid));
    }
  }
  return parts;
}
