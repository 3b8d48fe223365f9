import { ApiError, AuthenticationError, ConnectionError } from '@business-api/client';
import { clean } from './table.ts';

/** Exit codes, which are part of the documented interface. */
export const exitCodes = {
  ok: 0,
  refused: 1,
  usage: 2,
  notLoggedIn: 3,
  noConnection: 4,
  /** An error of this program. */
  internal: 70,
  /** Ended by Ctrl-C before the command was done. */
  interrupted: 130,
} as const;

/** The person typed something that cannot be meant. */
export class UsageError extends Error {}

/** There is no key, or none for this platform. */
export class LoginError extends Error {}

/** The platform would do it, and the command does not without a further option. */
export class RefusalError extends Error {}

/** The exit code that belongs to an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof LoginError || error instanceof AuthenticationError) return exitCodes.notLoggedIn;
  if (error instanceof ApiError || error instanceof RefusalError) return exitCodes.refused;
  return error instanceof ConnectionError ? exitCodes.noConnection : exitCodes.internal;
}

/** An error as lines for people. `name` is that of the program. */
export function errorLines(error: unknown, name: string): string[] {
  if (error instanceof ApiError) {
    const { message, help, requestId, code, status } = error;
    const explained = help === undefined ? status : code;
    return [
      `error: ${clean(message)}`,
      ...(help === undefined ? [] : [`help: ${help}`]),
      ...(requestId === undefined ? [] : [`request: ${requestId}`]),
      `explained by: ${name} explain ${explained}`,
    ];
  }
  if (error instanceof ConnectionError) return [`error: ${error.message} (${reasonOf(error)})`];
  if (error instanceof UsageError) return [`error: ${error.message}`, `(see ${name} --help)`];
  if (exitCodeOf(error) !== exitCodes.internal) return [`error: ${Object(error).message}`];
  return [`error of this program: ${Object(error).stack ?? error}`];
}

/** An error as one JSON object for programs. */
export function errorObject(error: unknown): object {
  const { message = String(error), status, code, requestId, help } = Object(error);
  const ofPlatform = error instanceof ApiError && { status, code, request_id: requestId, help };
  return { error: { message, exit_code: exitCodeOf(error), ...ofPlatform } };
}

/** Why no response came, as short as it can be said: `ECONNREFUSED`. */
export function reasonOf(error: unknown): string {
  let reason = 'no response';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return 'time limit';
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    reason = cause.message;
  }
  return reason;
}
