import { AppError } from '../values/app-error.ts';

/*
 * Hedged calls: a second attempt where the first is slow or was not delivered. When everything is slow, second attempts
 * would double the load, so a budget limits them: a tenth of all calls, saved up to fifty.
 */

/** One attempt at a call. */
export interface Attempt<T> {
  readonly result: Promise<T>;
  /** Cancels it; no effect after its end. */
  cancel(): void;
}

export type Hedge = <T>(attempt: () => Attempt<T>) => Promise<T>;

const budgetPerCall = 0.1;

const maxBudget = 50;

/** @param afterMs milliseconds after which the second attempt starts; at once when the first was not delivered */
export function createHedge(afterMs: number): Hedge {
  let budget = maxBudget;

  return <T>(start: () => Attempt<T>) => {
    budget = Math.min(maxBudget, budget + budgetPerCall);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const attempts: Attempt<unknown>[] = [];
    let failed = 0;

    function startSecond(): boolean {
      if (attempts.length > 1 || budget < 1) return false;
      budget--;
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

/** Whether a call failed before a server processed it. */
export function wasUndelivered(error: unknown): boolean {
  return error instanceof AppError && error.reason === 'grpc_unavailable';
}
