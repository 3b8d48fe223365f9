/** Kind of an operation's error; HTTP and gRPC map it to a status. */
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

/** A thrown value as an AppError: `internal` with a neutral text unless it is one. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', 'internal', 'unexpected error', error);
}
