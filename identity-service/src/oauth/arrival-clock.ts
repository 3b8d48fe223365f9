/** Milliseconds that samples count for, at least; clocks drift apart after that. */
const windowMs = 5_000;

/** Tells when, on the database's clock, something arrived here. */
export interface ArrivalClock {
  /**
   * Compares the clocks.
   * @param databaseNow milliseconds since 1970, as the database answered them
   * @param receivedAt when the answer came, in milliseconds on the monotonic clock of this process
   */
  sample(databaseNow: number, receivedAt: number): void;
  /** The earliest moment that a moment of the monotonic clock can have been, in milliseconds since 1970. */
  toDatabase(monotonic: number): number;
}

interface Window {
  readonly startedAt: number;
  readonly offset: number;
}

const unknown: Window = { startedAt: Number.NEGATIVE_INFINITY, offset: Number.NEGATIVE_INFINITY };

/**
 * An answer is read a while after the database looked at its clock: each sample says that the database is at least so
 * far ahead. The quickest answer of the last seconds says it best.
 */
export function createArrivalClock(): ArrivalClock {
  let current = unknown;
  let previous = unknown;
  return {
    sample: (databaseNow, receivedAt) => {
      const offset = databaseNow - receivedAt;
      const age = receivedAt - current.startedAt;
      if (age < windowMs) {
        current = { startedAt: current.startedAt, offset: Math.max(current.offset, offset) };
        return;
      }
      previous = age < 2 * windowMs ? current : unknown;
      current = { startedAt: receivedAt, offset };
    },
    toDatabase: (monotonic) => monotonic + Math.max(current.offset, previous.offset),
  };
}
