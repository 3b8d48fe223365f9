/** A point in time. Rules are given one; they do not read a clock. */
export type Instant = Date;

/** The point in time `milliseconds` after another. */
export function after(instant: Instant, milliseconds: number): Instant {
  return new Date(instant.getTime() + milliseconds);
}
