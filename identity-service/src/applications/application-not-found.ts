import { AppError } from '@platform/service-kit/app-error.ts';

/** No such application, or another business's: a caller cannot tell. */
export function applicationNotFound(): AppError {
  return new AppError('not_found', 'application_not_found', 'no such application');
}
