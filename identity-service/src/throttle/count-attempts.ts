import type { Throttle, ThrottleRule, Verdict } from './throttle.ts';
import { throttleKey } from './throttle-key.ts';

/** A rule and whom an attempt is about. */
export type Attempt = readonly [rule: ThrottleRule, ...subjects: string[]];

/**
 * Counts an attempt under one rule after the other; the verdict of the first that is exceeded. What a rule refuses is not
 * counted under the next ones: an attacker who has used up a narrow limit does not use up a wide one for everybody.
 */
export async function countAttempts(
  throttle: Throttle,
  attempts: readonly Attempt[],
): Promise<Verdict | undefined> {
  for (const [{ name, limit, windowSeconds }, ...subjects] of attempts) {
    const verdict = await throttle.hit(throttleKey(name, ...subjects), limit, windowSeconds);
    if (!verdict.allowed) return verdict;
  }
  return undefined;
}
