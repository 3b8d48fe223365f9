import { AppError } from '@platform/service-kit/app-error.ts';
import type { z } from 'zod';

/** Faults that one answer names, and how long its text may get: names of unknown fields are the caller's words. */
const maxFaults = 5;
const maxLength = 500;

/** Input in its exact type. @throws AppError `invalid_argument` that names the fields at fault */
export function readInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid_argument', 'invalid_input', describeFaults(parsed.error));
}

/** `line_items[0].quantity: must be a whole number; …` */
export function describeFaults({ issues }: z.ZodError): string {
  const faults = issues.slice(0, maxFaults).map(({ path, message }) => {
    const field = fieldName(path);
    return field === '' ? message : `${field}: ${message}`;
  });
  return faults.join('; ').slice(0, maxLength);
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('');
}
