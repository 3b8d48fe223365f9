import { AppError } from '@platform/service-kit/app-error.ts';
import type { z } from 'zod';

/** The request as `schema` understands it. @throws AppError invalid_argument that names the first fault */
export function parseRequest<T extends z.ZodType>(schema: T, request: unknown): z.output<T> {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'request';
  throw new AppError('invalid_argument', 'invalid_request', `${where}: ${issue?.message ?? 'is not valid'}`);
}
