import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { recordProcess, sendSignal } from './record.ts';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running process whose output goes to a file. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process has ended. */
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  send(signal: NodeJS.Signals): void;
  /** Sends `signal`, and SIGKILL when it still runs after `limitMs`. */
  stop(signal: NodeJS.Signals, limitMs: number): Promise<Exit>;
  onMessage(listener: (message: unknown) => void): void;
}

interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Directory of process records, see record.ts. */
  readonly records: string;
  /** The signal that ends it at once, without its parent. */
  readonly endSignal?: NodeJS.Signals;
  /** Opens a channel for messages. */
  readonly ipc?: boolean;
  /** Prints its errors in the terminal; into the log where absent. */
  readonly stderr?: 'inherit';
  /** Text for its standard input: for secrets, which the list of processes would show. */
  readonly stdin?: string;
}

/** Starts a process that is recorded while it runs. @throws when the command cannot be run */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, logFile, stdin } = options;
  const log = openSync(logFile, 'a', 0o600);
  const process_ = spawn(options.command, options.args, {
    env: options.env,
    stdio: [
      stdin === undefined ? 'ignore' : 'pipe',
      log,
      options.stderr ?? log,
      ...(options.ipc ? (['ipc'] as const) : []),
    ],
    // A group of its own: Ctrl-C in a terminal reaches the parent alone, which ends its children in order.
    detached: true,
  });
  closeSync(log);
  const pid = await started(process_);
  process_.stdin?.on('error', () => undefined).end(stdin);
  const forget = recordProcess(options.records, pid, name, options.endSignal ?? 'SIGKILL');
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    process_.once('exit', (code, signal) => {
      forget();
      exit = { code, signal };
      resolve(exit);
    });
  });
  return {
    name,
    pid,
    logFile,
    exited,
    isRunning: () => exit === undefined,
    send: (signal) => exit === undefined && void sendSignal(pid, signal),
    onMessage: (listener) => void process_.on('message', listener),
    stop: async (signal, limitMs) => {
      if (exit !== undefined) return exit;
      sendSignal(pid, signal);
      const timer = setTimeout(() => sendSignal(pid, 'SIGKILL'), limitMs);
      const ended = await exited;
      clearTimeout(timer);
      return ended;
    },
  };
}

function started(process_: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    process_.once('error', reject);
    process_.once('spawn', () => resolve(process_.pid ?? 0));
  });
}

/** The last lines of a log, to show with a failure. */
export function logTail(file: string, lines = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log was written)';
  }
}

/**
 * Resolves when `probe` resolves. @throws when the process ends first, or is not ready after `limitMs`; the text shows the end of
 * its log, and why in its last line
 */
export async function untilReady(
  child: Child,
  probe: () => Promise<unknown>,
  limitMs: number,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    try {
      await probe();
      return;
    } catch (cause) {
      if (!child.isRunning())
        throw new Error(`${child.name} ended while starting:\n${logTail(child.logFile)}`, { cause });
      if (performance.now() > giveUpAt) {
        const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
        const trouble = `${child.name} was not ready after ${limitMs / 1000} s`;
        throw new Error(`${trouble}:\n${logTail(child.logFile)}\n${trouble}: ${reason}`, { cause });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
