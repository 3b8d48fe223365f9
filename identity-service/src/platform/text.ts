import { containsSecret } from '@platform/service-kit/secrets/checked-token.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { hiddenCharacters, isName } from '@platform/service-kit/values/name.ts';
import { isReservedName, reservedName } from '@platform/service-kit/values/reserved-name.ts';
import { isLine } from '@platform/service-kit/values/text.ts';

const maxNameLength = 100;

/** The trimmed name. @throws AppError unless it is a name of 1 to 100 characters */
export function checkName(candidate: string): string {
  const name = candidate.trim();
  const length = [...name].length;
  if (length < 1 || length > maxNameLength) {
    const text = `name must be one line of 1 to ${maxNameLength} characters`;
    throw new AppError('invalid_argument', 'invalid_name', text);
  }
  if (!isName(name)) throw new AppError('invalid_argument', 'invalid_name', `name ${hiddenCharacters}`);
  return name;
}

/** The same for the name of an application: people decide by it. @throws AppError also for a reserved one */
export function checkPublicName(candidate: string): string {
  const name = checkName(candidate);
  if (isReservedName(name)) throw new AppError('invalid_argument', 'invalid_name', `name ${reservedName}`);
  return name;
}

/** Validation error of one line of 1 to `max` characters. @param subject as in `Enter your name.` */
export function lineError(text: string, subject: string, max: number): string | undefined {
  if (text === '') return `Enter ${subject}.`;
  if ([...text].length > max) return `Use at most ${max} characters.`;
  if (containsSecret(text)) return 'Leave out the secret: its last four characters will do.';
  return isLine(text)
    ? undefined
    : 'Leave out line breaks, control characters and characters that change the direction of text.';
}

/** The same for a name that other people see. */
export function nameError(text: string, subject: string, max: number): string | undefined {
  const error = lineError(text, subject, max);
  if (error !== undefined || isName(text)) return error;
  return 'Leave out characters that are invisible or change the direction of text.';
}

/** The same for the name of a person or business. */
export function publicNameError(text: string, subject: string, max: number): string | undefined {
  return nameError(text, subject, max) ?? reservedNameError(text);
}

/** Validation error of a name or username that is reserved. */
export function reservedNameError(text: string): string | undefined {
  return isReservedName(text) ? 'This name is reserved for the platform. Choose another one.' : undefined;
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

/** The first and last moment that RFC 3339 and PostgreSQL can write in UTC, in milliseconds since 1970: the years 1 to 9999. */
export const minInstant = -62_135_596_800_000;
export const maxInstant = 253_402_300_799_999;

/** A time as JSON carries it: RFC 3339 in UTC. @param ms milliseconds since 1970 */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
