/** What a log line says of an error. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly stack?: string | undefined;
  readonly cause?: ErrorFields;
}

const maxCauses = 4;

/**
 * Enough of an error to find its origin, and nothing else that hangs off it: drivers attach whole clients, with
 * passwords, to theirs.
 */
export function errorFields(error: unknown, causesLeft = maxCauses): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error && { code: error.code }),
    ...('reason' in error && { reason: error.reason }),
    stack,
    ...(cause !== undefined && causesLeft > 0 && { cause: errorFields(cause, causesLeft - 1) }),
  };
}
