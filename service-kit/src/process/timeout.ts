/** Work that took longer than it may. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * The result of `work`. Rejects with TimeoutError after `limitMs` milliseconds, and then in setImmediate, so that a
 * response that arrived while this process was busy still wins.
 */
export function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new TimeoutError(`timed out after ${limitMs} ms`));
    // Timers run before sockets are read, immediates after.
    const timer = setTimeout(() => setImmediate(late), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
