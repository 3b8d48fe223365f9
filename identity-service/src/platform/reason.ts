import { AppError } from '@platform/service-kit/app-error.ts';
import { lineError } from './text.ts';

/**
 * Why a person stopped something, without blanks around it; may be empty.
 * @throws AppError invalid_argument unless it is one line of at most 200 characters
 */
export function checkReason(submitted: string): string {
  const reason = submitted.trim();
  const error = reason === '' ? undefined : lineError(reason, 'a reason', 200);
  if (error !== undefined) throw new AppError('invalid_argument', 'invalid_reason', error);
  return reason;
}
