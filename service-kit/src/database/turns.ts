import { createKeyedMutex } from '../process/keyed-mutex.ts';
import { TimeoutError, withTimeout } from '../process/timeout.ts';
import { currentRequest, Stopwatch } from '../telemetry/request-context.ts';
import { databaseUnavailable } from './errors.ts';

/**
 * Runs work on a key after all earlier work on it.
 * @throws AppError `unavailable` when its turn does not come in time
 */
export type RunInTurn = <T>(key: number, work: () => Promise<T>) => Promise<T>;

/** @param waitLimitMs milliseconds that one request may wait for turns and connections, over all its steps */
export function createTurns(waitLimitMs: number): RunInTurn {
  const runExclusive = createKeyedMutex<number>();
  return async (key, work) => {
    const turn = Promise.withResolvers<void>();
    const { promise: end, resolve: endTurn } = Promise.withResolvers<void>();
    void runExclusive(key, () => {
      turn.resolve();
      return end;
    });
    try {
      await awaitTurn(turn.promise, waitLimitMs);
      return await work();
    } finally {
      // Also of work that has given up: its turn ends when it comes.
      endTurn();
    }
  };
}

async function awaitTurn(turn: Promise<void>, waitLimitMs: number): Promise<void> {
  const watch = currentRequest()?.connectionWaits ?? new Stopwatch();
  const startedAt = performance.now();
  const leftMs = Math.max(0, waitLimitMs - watch.elapsed(startedAt));
  watch.start(startedAt);
  try {
    await withTimeout(turn, leftMs);
  } catch {
    throw databaseUnavailable(new TimeoutError('earlier work on the same key did not end in time'));
  } finally {
    watch.stop(performance.now());
  }
}
