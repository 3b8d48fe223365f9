/**
 * Reason of an error in words: that of its innermost cause. Several refused addresses of one name arrive as an AggregateError,
 * whose own message is empty; errors of sockets may have a code alone.
 */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorText).join(', ');
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return errorText(error.cause);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
