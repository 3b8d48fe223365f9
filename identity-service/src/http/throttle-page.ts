import type { Throttle, ThrottleRule, Verdict } from '../throttle/throttle.ts';
import { throttleKey } from '../throttle/throttle-key.ts';
import type { Answer } from './answer.ts';
import { errorPage } from './pages/error-page.ts';

/** A rule and whom an attempt is about. */
export type Attempt = readonly [rule: ThrottleRule, ...subjects: string[]];

/**
 * Counts an attempt under one rule after the other; the page to answer with when one is exceeded. What a rule refuses is
 * not counted under the next ones: an attacker who has used up a narrow limit does not use up a wide one for everybody.
 */
export async function throttled(
  throttle: Throttle,
  attempts: readonly Attempt[],
): Promise<Answer | undefined> {
  for (const [{ name, limit, windowSeconds }, ...subjects] of attempts) {
    const verdict = await throttle.hit(throttleKey(name, ...subjects), limit, windowSeconds);
    if (!verdict.allowed) return tooManyAttempts(verdict);
  }
  return undefined;
}

function tooManyAttempts({ retryAfterSeconds: seconds }: Verdict): Answer {
  const wait = seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return {
    status: 429,
    headers: { 'Retry-After': String(seconds) },
    page: errorPage(429, `There were too many attempts. Please wait ${wait} and try again.`),
  };
}
