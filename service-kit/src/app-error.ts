/** Why an operation did not happen, in terms that every transport can render. */
export type ErrorKind =
  | 'invalid_argument'
  | 'not_found'
  | 'conflict'
  | 'failed_precondition'
  | 'permission_denied'
  | 'unavailable'
  | 'internal';

/**
 * The one error that crosses module and process borders.
 * `message` is public; `reason` is a stable snake_case code; `cause` stays in the log.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly reason: string;

  constructor(kind: ErrorKind, reason: string, publicText: string, cause?: unknown) {
    super(publicText, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = reason;
  }
}

/** Any thrown value as an AppError; what is not one becomes `internal` with a neutral text. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', 'internal', 'unexpected error', error);
}
