import { ApiError } from '@business-api/client';

/** The line about a trouble that passes, while a command waits for events. */
export function troubleLine(origin: string, error: Error, pauseMs: number): string {
  const why = error instanceof ApiError ? `responded with ${error.status}` : 'cannot be reached';
  return `${origin} ${why}. Next try in ${Math.ceil(pauseMs / 1_000)} s.`;
}
