import { AppError } from '@platform/service-kit/app-error.ts';

const maxLimit = 1_000_000;

/** @throws AppError unless it is 1 to 1,000,000 */
export function checkConnectedUserLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new AppError('invalid_argument', 'invalid_limit', `limit must be 1 to ${maxLimit} connected users`);
  }
  return limit;
}

/** Whether one more business may connect. */
export function hasRoom({
  connectedUsers,
  connectedUserLimit,
}: {
  readonly connectedUsers: number;
  readonly connectedUserLimit: number;
}): boolean {
  return connectedUsers < connectedUserLimit;
}
