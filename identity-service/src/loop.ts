import type { Logger } from '@platform/service-kit/logger.ts';

/** Work that repeats until it is stopped. */
export interface Loop {
  /** Starts no more rounds and waits for the one under way. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  readonly name: string;
  /** Milliseconds between the end of a round and the start of the next. */
  readonly everyMs: number;
  readonly round: () => Promise<unknown>;
  readonly logger: Logger;
}

/** Runs rounds one after another, the first one at once. One that fails is logged, and the next one comes all the same. */
export function startLoop({ name, everyMs, round, logger }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async () => {
    try {
      await round();
    } catch (error) {
      logger.warn({ err: error, loop: name }, 'round failed');
    }
    if (stopped) return;
    timer = setTimeout(() => {
      current = run();
    }, everyMs);
  };
  let current = run();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return current;
    },
  };
}
