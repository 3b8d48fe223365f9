import { AppError } from '@platform/service-kit/app-error.ts';

const maxNameLength = 100;

/** Characters that turn the direction of text around, with which a name could pass for another one. */
export const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The name without blanks around it. @throws AppError unless it is one line of 1 to 100 characters */
export function checkName(candidate: string): string {
  const name = candidate.trim();
  const length = [...name].length;
  if (length < 1 || length > maxNameLength || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || bidiControls.test(name)) {
    throw new AppError(
      'invalid_argument',
      'invalid_name',
      `name must be one line of 1 to ${maxNameLength} characters`,
    );
  }
  return name;
}
