import { AppError } from '@platform/service-kit/app-error.ts';

/** No such key, or another business's: a caller cannot tell. */
export function keyNotFound(): AppError {
  return new AppError('not_found', 'api_key_not_found', 'no such API key');
}
