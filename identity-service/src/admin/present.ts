import { AppError } from '@platform/service-kit/app-error.ts';

/** A message that an answer always carries. @throws AppError internal when it does not */
export function present<T>(message: T | null): T {
  if (message === null)
    throw new AppError('internal', 'empty_answer', 'the service answered without a record');
  return message;
}
