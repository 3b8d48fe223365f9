import { STATUS_CODES } from 'node:http';
import type { ErrorKind } from '../app-error.ts';

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

/** A request that HTTP itself refuses: its form, not what it asks for, is at fault. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  /** @param publicText a sentence for whoever sees it */
  constructor(status: number, publicText: string) {
    super(publicText);
    this.status = status;
  }
}

/** Characters of a client's own words that an error repeats. */
const maxEcho = 100;

/** A name that a client sent, short enough to be repeated to it. */
export function echo(name: string): string {
  return name.length > maxEcho ? `${name.slice(0, maxEcho)}…` : name;
}
