import { AppError } from '@platform/service-kit/app-error.ts';
import { isLine } from '@platform/service-kit/text.ts';

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

/** What is wrong with one line of text of 1 to `max` characters. */
export function lineFault(text: string, what: string, max: number): string | undefined {
  if (text === '') return `Enter ${what}.`;
  if ([...text].length > max) return `Use at most ${max} characters.`;
  return isLine(text) ? undefined : 'Leave out line breaks and control characters.';
}

/** What is wrong with a form, by the name of the field. */
export type Faults = Readonly<Record<string, string>>;

/** The faults that there are. */
export function faultsOf(found: Readonly<Record<string, string | undefined>>): Faults {
  const faults: Record<string, string> = {};
  for (const [field, fault] of Object.entries(found)) {
    if (fault !== undefined) faults[field] = fault;
  }
  return faults;
}

export function hasFaults(faults: Faults): boolean {
  return Object.keys(faults).length > 0;
}
