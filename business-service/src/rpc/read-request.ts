import { AppError } from '@platform/service-kit/app-error.ts';
import type { z } from 'zod';

/** A request in its exact type. @throws AppError `invalid_argument` that names the fields as the .proto does */
export function readRequest<T extends z.ZodType>(schema: T, request: unknown): z.output<T> {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${snakeCase(path.join('.'))}: ${message}`);
  throw new AppError('invalid_argument', 'invalid_request', faults.join('; '));
}

/** One field in its exact type. @throws AppError `invalid_argument` */
export function readField<T extends z.ZodType>(name: string, schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const text = parsed.error.issues.map(({ message }) => message).join(', ');
  throw new AppError('invalid_argument', 'invalid_request', `${name}: ${text}`);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
