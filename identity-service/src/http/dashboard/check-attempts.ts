import { HttpError } from '@platform/service-kit/http-error.ts';
import { type Attempt, countAttempts } from '../../throttle/count-attempts.ts';
import type { Throttle } from '../../throttle/throttle.ts';
import { tooManyAttempts } from '../throttle-page.ts';

/** A call that may be repeated later. */
export class TooManyAttempts extends HttpError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(429, tooManyAttempts(retryAfterSeconds));
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Counts an attempt. @throws TooManyAttempts */
export async function checkAttempts(throttle: Throttle, attempts: readonly Attempt[]): Promise<void> {
  const refusal = await countAttempts(throttle, attempts);
  if (refusal !== undefined) throw new TooManyAttempts(refusal.retryAfterSeconds);
}
