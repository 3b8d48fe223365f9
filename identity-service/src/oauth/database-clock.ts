import { createClockOffset } from './clock-offset.ts';

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

/**
 * A reply arrives some time after the database read its clock, so each sample is a lower bound of the offset; the
 * greatest one of the last seconds is the closest.
 */
export function createDatabaseClock(): DatabaseClock {
  const offset = createClockOffset(Math.max);
  return {
    sample: (databaseNow, receivedAt) => offset.sample(databaseNow - receivedAt, receivedAt),
    toDatabase: (monotonic) => monotonic + (offset.value() ?? Number.NEGATIVE_INFINITY),
  };
}
