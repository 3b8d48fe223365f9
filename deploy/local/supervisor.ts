import { basename } from 'node:path';
import { type Child, logTail } from './process/child.ts';

/** A child that runs until the platform ends. */
export interface Part {
  readonly process: Child;
  /** Ends it in its own way; resolves when it has ended. */
  stop(): Promise<unknown>;
}

/** Reports the progress of the start, and ends everything in reverse order, so that the gateway ends first. */
export interface Supervisor {
  say(line: string): void;
  /** Runs a step and prints how long it took. `describe` may add what the step found out. */
  step<T>(name: string, run: () => Promise<T>, describe?: (result: T) => string): Promise<T>;
  /** From now on the end of this part ends everything. Returns how to take that back. */
  watch(part: Part): () => void;
  /** Runs after the parts have ended, last registered first. */
  onEnd(closer: () => unknown): void;
  /** Ends everything and the process with `code`. */
  end(code: number): Promise<never>;
}

/** One Ctrl-C arrives twice: from the terminal and through npm. */
const sameSignalMs = 1_000;
const nameWidth = 18;

export function createSupervisor(write: (text: string) => unknown): Supervisor {
  const parts = new Set<Part>();
  const closers: (() => unknown)[] = [];
  let ending: Promise<never> | undefined;
  let firstSignalAt: number | undefined;

  const say = (line: string) => void write(`${line}\n`);
  const close = async () => {
    for (const closer of closers.reverse()) await closer();
  };
  const endInOrder = async (code: number): Promise<never> => {
    for (const part of [...parts].reverse()) await part.stop();
    await close();
    if (code === 0) say('Stopped.');
    process.exit(code);
  };
  const end = (code: number): Promise<never> => {
    ending ??= endInOrder(code);
    return ending;
  };
  const onSignal = async () => {
    firstSignalAt ??= performance.now();
    if (ending === undefined) {
      say('Stopping …  (Ctrl-C again to kill)');
      await end(0);
    } else if (performance.now() - firstSignalAt > sameSignalMs) {
      for (const { process: child } of parts) child.send('SIGKILL');
      await close();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    say,
    end,
    onEnd: (closer) => void closers.push(closer),
    step: async (name, run, describe = () => 'ready') => {
      const startedAt = performance.now();
      const result = await run();
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      say(`  ${name.padEnd(nameWidth)} ${describe(result)} (${seconds} s)`);
      return result;
    },
    watch: (part) => {
      parts.add(part);
      void part.process.exited.then(({ code, signal }) => {
        if (ending !== undefined || !parts.has(part)) return;
        say(describeCrash(part.process, signal ?? `code ${code}`));
        void end(1);
      });
      return () => void parts.delete(part);
    },
  };
}

function describeCrash({ name, logFile }: Child, how: string): string {
  return `\n${name} ended unexpectedly (${how}), so everything ends. The end of ${basename(logFile)}:\n${logTail(logFile)}\n`;
}
