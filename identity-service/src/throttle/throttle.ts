/** What a throttle says to one attempt. */
export interface Verdict {
  readonly allowed: boolean;
  /** Seconds until the window is over; at least 1. */
  readonly retryAfterSeconds: number;
}

/** Counts attempts under keys, in fixed windows on the database's clock. */
export interface Throttle {
  /**
   * Counts one attempt, also when it is refused. `THROTTLE_SCALE` multiplies the limit.
   * @param key of `throttleKey`
   * @param windowSeconds at most a day
   * @throws AppError unavailable when the database cannot serve
   */
  hit(key: string, limit: number, windowSeconds: number): Promise<Verdict>;
}

/** A limit with a name: attempts of one subject within a window. */
export interface ThrottleRule {
  /** The first part of the key: `login:address`. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}
