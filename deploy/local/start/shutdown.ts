import { basename } from 'node:path';
import type { Child } from '../process/child.ts';
import { logTail } from '../process/log-tail.ts';
import { endRecordedProcesses } from '../process/record.ts';

/** Something that runs until the platform ends. */
export interface Part {
  readonly process: Child;
  /** Ends it in its own way; resolves when it is gone. */
  stop(): Promise<unknown>;
}

/** Ends the platform: in the reverse of the order in which it started, so the gateway goes first. */
export interface Shutdown {
  /** From now on the end of this part is the end of all. */
  watch(part: Part): void;
  /** Runs after the parts have ended, last registered first. */
  onEnd(closer: () => unknown): void;
  /** Ends everything and the process with `code`. */
  end(code: number): Promise<never>;
}

/** One Ctrl-C reaches us twice: from the terminal and again through npm. */
const sameSignalMs = 1_000;

export function createShutdown(say: (line: string) => void): Shutdown {
  const parts: Part[] = [];
  const closers: (() => unknown)[] = [];
  let ending: Promise<never> | undefined;
  let firstSignalAt: number | undefined;

  const end = (code: number): Promise<never> => {
    ending ??= (async () => {
      for (const part of parts.reverse()) await part.stop();
      for (const closer of closers.reverse()) await closer();
      if (code === 0) say('Stopped.');
      process.exit(code);
    })();
    return ending;
  };
  const onSignal = async () => {
    firstSignalAt ??= performance.now();
    if (ending === undefined) {
      say('Stopping …  (Ctrl-C again to kill)');
      await end(0);
    } else if (performance.now() - firstSignalAt > sameSignalMs) {
      for (const { process: child } of parts) child.send('SIGKILL');
      for (const closer of closers.reverse()) await closer();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    watch: (part) => {
      parts.push(part);
      void part.process.exited.then(({ code, signal }) => {
        if (ending !== undefined) return;
        say(describeCrash(part.process, signal ?? `code ${code}`));
        void end(1);
      });
    },
    onEnd: (closer) => void closers.push(closer),
    end,
  };
}

function describeCrash({ name, logFile }: Child, how: string): string {
  const tail = logTail(logFile);
  return `\n${name} ended unexpectedly (${how}), so everything ends. The end of ${basename(logFile)}:\n${tail}\n`;
}

/** Ends what a launcher that was killed has left behind. Returns the names of what it ended. */
export async function endLeftovers(records: readonly string[]): Promise<string[]> {
  const ended = await Promise.all(records.map(endRecordedProcesses));
  return ended.flat();
}
