import { AppError } from '@platform/service-kit/app-error.ts';
import { echo } from '@platform/service-kit/echo.ts';
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
  const faults = issues.slice(0, maxFaults).map((issue) => {
    const field = fieldName(issue.path);
    const text = issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : issue.message;
    return field === '' ? text : `${field}: ${text}`;
  });
  return faults.join('; ').slice(0, maxLength);
}

/** As zod words it, with names of bearable length. */
function unknownFields(names: readonly string[]): string {
  const quoted = names.slice(0, maxFaults).map((name) => `"${echo(name)}"`);
  return `Unrecognized key${names.length === 1 ? '' : 's'}: ${quoted.join(', ')}`;
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${echo(String(part))}`))
    .join('');
}
