/**
 * The result of `work`, or a rejection after `limitMs` milliseconds. Only the other side's time counts: when this process
 * was busy itself, what has arrived meanwhile is read before the time is called over.
 */
export function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${limitMs} ms`));
    // Timers run before sockets are read, immediates after.
    const timer = setTimeout(() => setImmediate(late), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
