import { AppError } from '@platform/service-kit/values/app-error.ts';

/** Rule of a business for its new API keys: each needs an end. */
export interface KeyLifetime {
  /** Days that a key may last; undefined for any end. */
  readonly maxDays: number | undefined;
}

/** Longest lifetime that owners can require, in days. */
export const maxLifetimeDays = 3_650;

const dayMs = 86_400_000;

/** Milliseconds that a key may last beyond the rule: forms compute the end by the clock of the browser. */
export const graceMs = 3_600_000;

/** Times of a key in milliseconds since 1970. */
interface KeyTimes {
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

/**
 * Checks the end of a new key.
 * @param lifetime undefined where owners require none
 * @throws AppError invalid_argument that names the rule
 */
export function checkLifetime(lifetime: KeyLifetime | undefined, { createdAt, expiresAt }: KeyTimes): void {
  if (lifetime === undefined) return;
  const { maxDays } = lifetime;
  const most = maxDays === undefined ? '' : ` of at most ${daysInWords(maxDays)}`;
  if (expiresAt === undefined) {
    const text = `the business requires an expiration${most} of every new key`;
    throw new AppError('invalid_argument', 'expiration_required', text);
  }
  if (maxDays !== undefined && expiresAt > createdAt + maxDays * dayMs + graceMs) {
    const text = `the business allows new keys to last at most ${daysInWords(maxDays)}`;
    throw new AppError('invalid_argument', 'expiration_too_late', text);
  }
}

const daysInWords = (days: number): string => (days === 1 ? '1 day' : `${days.toLocaleString('en')} days`);
