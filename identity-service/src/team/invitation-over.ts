import { AppError } from '@platform/service-kit/app-error.ts';

/** For a token that was used, taken back, replaced, is too old, or never was: nobody learns which. */
export function invitationOver(): AppError {
  return new AppError(
    'failed_precondition',
    'invitation_over',
    'this invitation does not work any more: it was used, taken back, or is older than a week',
  );
}
