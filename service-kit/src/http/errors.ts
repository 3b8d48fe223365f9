import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import { echo } from '../input/path-text.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ErrorKind } from '../values/app-error.ts';

/** Body of every API error (contract 7.2): the text is absent where the contract forbids one. */
interface HttpErrorBody {
  readonly error?: string;
  readonly status: string;
  readonly code: number;
}

/** The three fields for a status; 403 never carries a text. */
export function httpErrorBody(code: number, text?: string): HttpErrorBody {
  const status = STATUS_CODES[code] ?? 'Error';
  return code === 403 || text === undefined ? { status, code } : { error: text, status, code };
}

/** HTTP status of an operation's error. */
export const httpStatusOfKind: Record<ErrorKind, number> = {
  invalid_argument: 400,
  not_found: 404,
  conflict: 409,
  failed_precondition: 409,
  permission_denied: 403,
  unavailable: 503,
  internal: 500,
};

/** A request that is refused because it is malformed, before an operation sees it. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  /** @param publicText sent to the client */
  constructor(status: number, publicText: string) {
    super(publicText);
    this.status = status;
  }
}

/** 400 for one field of a body or query, named by its path: `line_items[0].name: is given twice`. */
export class FieldError extends HttpError {
  /** Path of the field, cut to 100 characters. */
  readonly field: string;
  /** The reason, for people. */
  readonly problem: string;

  constructor(field: string, problem: string) {
    const named = echo(field);
    super(400, named === '' ? `the body ${problem}` : `${named}: ${problem}`);
    this.field = named;
    this.problem = problem;
  }
}

/**
 * An HttpError as it is; an error of Express or a body parser with the text for its status, since their own texts quote
 * the body. Undefined for any other error.
 */
export function toHttpError(error: unknown, texts: Readonly<Record<number, string>>): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number')) return undefined;
  const text = texts[error.status];
  return text === undefined ? undefined : new HttpError(error.status, text);
}

/**
 * Last handler of an app or router: sends the response that `describe` makes of an error. Logs 500 as an error, and 503
 * as a warning: a dependency is down.
 */
export function errorHandler<T extends { readonly status: number }>(
  logger: Logger,
  describe: (error: unknown) => T,
  send: (res: Response, response: T) => void,
): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    const response = describe(error);
    const { status } = response;
    const line = { requestId: res.getHeader('X-Request-Id'), err: error };
    if (status >= 500) logger[status === 503 ? 'warn' : 'error'](line, 'request failed');
    send(res, response);
  };
}
