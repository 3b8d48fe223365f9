/** Adds up the time that goes by while at least one of several things is under way; what runs side by side counts once. */
export class Stopwatch {
  #running = 0;
  #since = 0;
  #elapsedMs = 0;

  /** @param now monotonic milliseconds */
  start(now: number): void {
    if (this.#running++ === 0) this.#since = now;
  }

  stop(now: number): void {
    if (--this.#running === 0) this.#elapsedMs += now - this.#since;
  }

  /** Milliseconds so far. */
  elapsed(now: number): number {
    return this.#elapsedMs + (this.#running > 0 ? now - this.#since : 0);
  }
}
