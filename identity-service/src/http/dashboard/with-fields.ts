import { AppError } from '@platform/service-kit/app-error.ts';
import { InvalidInput } from './invalid-input.ts';

/**
 * Does `work`. Where it is refused for something that stands in one field, the answer names that field, so that a form
 * can say so in its place.
 * @param fieldOf field by the reason of the refusal
 * @throws InvalidInput and everything that `work` throws
 */
export async function withFields<T>(
  fieldOf: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const field = error instanceof AppError ? fieldOf[error.reason] : undefined;
    if (!(error instanceof AppError) || field === undefined) throw error;
    throw new InvalidInput({ [field]: error.message }, error.reason);
  }
}
