const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds before each attempt, counted from the one before (Standard Webhooks, "Deliverability and reliability"). */
const delays: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Attempts of one delivery; a resend begins anew. */
export const maxAttempts = delays.length;

/** Share of a delay by which it varies, so that deliveries that failed together are not repeated together. */
const jitter = 0.1;

const maxRetryAfter = 24 * hour;

/**
 * When the next attempt of a delivery is due.
 * @param attempts made so far; 0 before the first
 * @param now Unix time in milliseconds, as is the result
 * @param random 0 to 1, as of Math.random
 * @param retryAfterMs that the receiver asked to wait; a day at most is honoured
 * @returns undefined after the last attempt
 * @throws RangeError for a negative or fractional number of attempts
 */
export function nextAttemptAt(
  attempts: number,
  now: number,
  random: number,
  retryAfterMs = 0,
): number | undefined {
  if (!Number.isSafeInteger(attempts) || attempts < 0) throw new RangeError(`${attempts} attempts`);
  const delay = delays[attempts];
  if (delay === undefined) return undefined;
  const scheduled = delay * (1 + jitter * (2 * random - 1));
  // Never sooner than the receiver asked, but with variation, so that not all come at the same moment.
  const asked = Math.min(Math.max(retryAfterMs, 0), maxRetryAfter) * (1 + jitter * random);
  return now + Math.round(Math.max(scheduled, asked));
}
