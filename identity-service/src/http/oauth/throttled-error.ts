import type { Throttle, ThrottleRule } from '../../throttle/throttle.ts';
import { throttleKey } from '../../throttle/throttle-key.ts';

/** Too many requests of one address or client. */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too many requests: wait as long as Retry-After says');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Counts a request under a rule. @throws ThrottledError when it is one too many */
export async function checkThrottle(throttle: Throttle, rule: ThrottleRule, subject: string): Promise<void> {
  const { name, limit, windowSeconds } = rule;
  const verdict = await throttle.hit(throttleKey(name, subject), limit, windowSeconds);
  if (!verdict.allowed) throw new ThrottledError(verdict.retryAfterSeconds);
}
