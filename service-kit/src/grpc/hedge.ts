import { AppError } from '../app-error.ts';

/*
 * A second attempt where the first is slow or failed on its way. When everything is slow, second attempts would double
 * the load and make it slower: they are a tenth of all calls at most, but for what was saved while all went well.
 */

/** One attempt at a call. */
export interface Attempt<T> {
  readonly result: Promise<T>;
  /** Gives it up; does nothing once it has ended. */
  cancel(): void;
}

export type Hedge = <T>(attempt: () => Attempt<T>) => Promise<T>;

const share = 0.1;

const maxSaved = 50;

/** @param afterMs milliseconds after which the second attempt starts; sooner when the first one was not delivered */
export function createHedge(afterMs: number): Hedge {
  let saved = maxSaved;

  return <T>(start: () => Attempt<T>) => {
    saved = Math.min(maxSaved, saved + share);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const attempts: Attempt<unknown>[] = [];
    let failed = 0;

    function startSecond(): boolean {
      if (attempts.length > 1 || saved < 1) return false;
      saved--;
      startOne();
      return true;
    }

    function fail(error: unknown): void {
      failed++;
      const isOver = !wasUndelivered(error) || (failed === attempts.length && !startSecond());
      if (isOver) reject(error);
    }

    function startOne(): void {
      const attempt = start();
      attempts.push(attempt);
      attempt.result.then(resolve, fail);
    }

    startOne();
    const timer = setTimeout(startSecond, afterMs);
    return promise.finally(() => {
      clearTimeout(timer);
      for (const attempt of attempts) attempt.cancel();
    });
  };
}

/** Whether a call failed before a server dealt with it. */
export function wasUndelivered(error: unknown): boolean {
  return error instanceof AppError && error.reason === 'grpc_unavailable';
}
