import { type Attempt, countAttempts } from '../throttle/count-attempts.ts';
import type { Throttle } from '../throttle/throttle.ts';
import type { Answer } from './answer.ts';
import { errorPage } from './pages/error-page.ts';

/** Counts an attempt; the page to answer with when it is one too many. */
export async function throttled(
  throttle: Throttle,
  attempts: readonly Attempt[],
): Promise<Answer | undefined> {
  const refusal = await countAttempts(throttle, attempts);
  if (refusal === undefined) return undefined;
  const { retryAfterSeconds: seconds } = refusal;
  return {
    status: 429,
    headers: { 'Retry-After': String(seconds) },
    page: errorPage(429, tooManyAttempts(seconds)),
  };
}

/** What somebody reads who has to wait. */
export function tooManyAttempts(seconds: number): string {
  const wait = seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return `There were too many attempts. Please wait ${wait} and try again.`;
}
