/** Milliseconds for which a sample counts at least; after that the clocks may have drifted. */
const windowMs = 5_000;

/** Converts this process's monotonic clock to the database's clock. */
export interface DatabaseClock {
  /**
   * Compares the clocks.
   * @param databaseNow milliseconds since 1970, as the database returned them
   * @param receivedAt when the reply arrived, in milliseconds on the monotonic clock of this process
   */
  sample(databaseNow: number, receivedAt: number): void;
  /** The earliest database time, in milliseconds since 1970, for a time of the monotonic clock. */
  toDatabase(monotonic: number): number;
}

interface Window {
  readonly startedAt: number;
  readonly offset: number;
}

const unknown: Window = { startedAt: Number.NEGATIVE_INFINITY, offset: Number.NEGATIVE_INFINITY };

/**
 * A reply arrives some time after the database read its clock, so each sample is a lower bound of the offset; the
 * greatest one of the last seconds is the closest.
 */
export function createDatabaseClock(): DatabaseClock {
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
