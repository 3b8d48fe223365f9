import { AppError } from '@platform/service-kit/app-error.ts';

/** Requests per rolling hour of a new key (contract 8). */
export const defaultLimit = 10_000;

const maxLimit = 10_000_000;

/** @throws AppError unless it is 1 to 10,000,000 */
export function checkLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new AppError(
      'invalid_argument',
      'invalid_limit',
      `limit must be 1 to ${maxLimit} requests per hour`,
    );
  }
  return limit;
}
