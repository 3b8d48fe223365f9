import type { Logger } from '../telemetry/logger.ts';

/** Periodic background work. */
export interface Loop {
  /** Starts no further round, aborts the signal of the current one and waits for it. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  /** Of the loop, in the log. */
  readonly name: string;
  /** Milliseconds between the end of a round and the start of the next, varied by a tenth so that replicas drift apart. */
  readonly everyMs: number;
  /** Milliseconds until the first round; 0 where absent. */
  readonly firstAfterMs?: number;
  readonly round: (signal: AbortSignal) => Promise<unknown>;
  readonly logger: Logger;
}

/** Maximum milliseconds until a failed round is repeated. */
const retryMs = 5_000;

/** Share of the pause by which it varies. */
const jitter = 0.1;

/** Runs rounds one after another. A round that fails is logged, and repeated soon. */
export function startLoop({ name, everyMs, firstAfterMs = 0, round, logger }: LoopOptions): Loop {
  const stopped = new AbortController();
  const { signal } = stopped;
  let timer: NodeJS.Timeout | undefined;
  let current = Promise.resolve();

  async function run(): Promise<void> {
    let pauseMs = everyMs;
    try {
      await round(signal);
    } catch (error) {
      logger.warn({ err: error, loop: name }, 'round failed');
      pauseMs = Math.min(everyMs, retryMs);
    }
    schedule(pauseMs * (1 + jitter * (2 * Math.random() - 1)));
  }

  function schedule(afterMs: number): void {
    if (signal.aborted) return;
    timer = setTimeout(() => {
      current = run();
    }, afterMs);
  }

  if (firstAfterMs > 0) schedule(firstAfterMs);
  else current = run();
  return {
    stop: () => {
      stopped.abort();
      clearTimeout(timer);
      return current;
    },
  };
}
