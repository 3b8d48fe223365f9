import type { Throttle, ThrottleRule, Verdict } from '../throttle/throttle.ts';
import { throttleKey } from '../throttle/throttle-key.ts';
import type { Answer } from './answer.ts';
import { errorPage } from './pages/error-page.ts';

/** A rule and whom an attempt is about. */
export type Attempt = readonly [rule: ThrottleRule, ...subjects: string[]];

/** Counts an attempt under every rule; the page to answer with when one is exceeded. */
export async function throttled(
  throttle: Throttle,
  attempts: readonly Attempt[],
): Promise<Answer | undefined> {
  const verdicts = await Promise.all(
    attempts.map(([{ name, limit, windowSeconds }, ...subjects]) =>
      throttle.hit(throttleKey(name, ...subjects), limit, windowSeconds),
    ),
  );
  const refusals = verdicts.filter(({ allowed }) => !allowed);
  return refusals.length === 0 ? undefined : tooManyAttempts(refusals);
}

function tooManyAttempts(refusals: readonly Verdict[]): Answer {
  const seconds = Math.max(...refusals.map(({ retryAfterSeconds }) => retryAfterSeconds));
  const wait = seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return {
    status: 429,
    headers: { 'Retry-After': String(seconds) },
    page: errorPage(429, `There were too many attempts. Please wait ${wait} and try again.`),
  };
}
