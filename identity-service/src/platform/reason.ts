import { AppError } from '@platform/service-kit/values/app-error.ts';
import { lineError, nameError } from './text.ts';

/**
 * Why a person stopped something, without blanks around it; may be empty.
 * @throws AppError invalid_argument unless it is one line of at most `max` characters
 */
export function checkReason(submitted: string, max = 200): string {
  const reason = submitted.trim();
  const error = reason === '' ? undefined : lineError(reason, 'a reason', max);
  if (error !== undefined) throw new AppError('invalid_argument', 'invalid_reason', error);
  return reason;
}

/** Longest reason of an operator, in characters. */
export const maxOperatorReason = 500;

/**
 * Why an operator does something, for the owners, without blanks around it.
 * @throws AppError invalid_argument unless it is one visible line of 1 to 500 characters
 */
export function checkOperatorReason(submitted: string): string {
  const reason = submitted.trim();
  const error = nameError(reason, 'a reason', maxOperatorReason);
  if (error !== undefined) throw new AppError('invalid_argument', 'invalid_reason', error);
  return reason;
}
