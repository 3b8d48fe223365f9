import { AppError } from '@platform/service-kit/app-error.ts';

/** Applications that a business may have (contract 8). */
export const maxApplications = 3;

/** @param existing applications that the business has. @throws AppError when one more would be too many */
export function checkRoomForApplication(existing: number): void {
  if (existing >= maxApplications) {
    throw new AppError(
      'failed_precondition',
      'application_limit_reached',
      `a business has at most ${maxApplications} applications`,
    );
  }
}
