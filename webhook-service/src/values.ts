/** A point in time. Rules get it as an argument and do not read a clock. */
export type Instant = Date;

/** The point in time `milliseconds` after another. */
export function after(instant: Instant, milliseconds: number): Instant {
  return new Date(instant.getTime() + milliseconds);
}

/** Unix time, in milliseconds, of a date in HTTP (RFC 9110 section 5.6.7); NaN for the other texts that Date accepts. */
export function parseHttpDate(text: string): number {
  return /^[A-Z][a-z]{2,8}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
