import { AppError } from '@platform/service-kit/app-error.ts';

/** Runs work when it is its turn. @throws AppError unavailable when too many wait already */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets `maxAtOnce` pieces of work run, and `maxWaiting` more wait. */
export function createTurnstile(maxAtOnce: number, maxWaiting: number): Turnstile {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxWaiting) throw new AppError('unavailable', 'busy', 'too many at once');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      // The place goes to the next one, or becomes free.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
