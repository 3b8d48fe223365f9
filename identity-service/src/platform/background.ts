import type { Logger } from '@platform/service-kit/logger.ts';
import { currentRequest, inRequest, requestIdFrom } from '@platform/service-kit/request-context.ts';

/** Work that no answer waits for. */
export interface Background {
  /** Starts `work`; a failure is logged under `name`. Refuses, and logs it, when too much is under way. */
  run(name: string, work: () => Promise<unknown>): void;
  /** Resolves when nothing is under way any more. */
  settle(): Promise<void>;
}

/** Every piece of work has deadlines of its own; this bounds how many there are. */
const maxUnderWay = 200;

export function createBackground(logger: Logger): Background {
  const underWay = new Set<Promise<void>>();
  return {
    run: (name, work) => {
      if (underWay.size >= maxUnderWay) {
        logger.error({ work: name }, 'too much in the background: dropped');
        return;
      }
      // Under the id of the request that caused it, but with its own time to wait.
      const requestId = requestIdFrom(currentRequest()?.requestId);
      const running = inRequest(requestId, work)
        .catch((error: unknown) => logger.error({ err: error, work: name }, 'background work failed'))
        .then(() => void underWay.delete(running));
      underWay.add(running);
    },
    settle: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** Work that repeats until it is stopped. */
interface Loop {
  /** Starts no more rounds and waits for the one under way. */
  stop(): Promise<void>;
}

interface LoopOptions {
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

/** What has been opened, to be closed in reverse order. */
export interface Closers {
  add(close: () => unknown): void;
  /** Closes everything; resolves when nothing is left open. */
  closeAll(): Promise<void>;
}

export function createClosers(): Closers {
  const closers: (() => unknown)[] = [];
  return {
    add: (close) => {
      closers.push(close);
    },
    closeAll: async () => {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
}
