import { AppError } from '@platform/service-kit/app-error.ts';
import { isLine } from '@platform/service-kit/text.ts';

const maxNameLength = 100;

/** Characters that reverse the direction of text, with which a name could imitate another. */
export const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The trimmed name. @throws AppError unless it is one line of 1 to 100 characters */
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

/** Validation error of one line of 1 to `max` characters. @param subject as in `Enter your name.` */
export function lineError(text: string, subject: string, max: number): string | undefined {
  if (text === '') return `Enter ${subject}.`;
  if ([...text].length > max) return `Use at most ${max} characters.`;
  return isLine(text) ? undefined : 'Leave out line breaks and control characters.';
}

/** Validation errors of a form, by field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** The errors without undefined ones. */
export function fieldErrors(found: Readonly<Record<string, string | undefined>>): FieldErrors {
  const errors: Record<string, string> = {};
  for (const [field, error] of Object.entries(found)) {
    if (error !== undefined) errors[field] = error;
  }
  return errors;
}

export function hasErrors(errors: FieldErrors): boolean {
  return Object.keys(errors).length > 0;
}

/** A time as JSON carries it: RFC 3339 in UTC. @param ms milliseconds since 1970 */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
