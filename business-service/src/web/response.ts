import { toAppError } from '@platform/service-kit/app-error.ts';
import { HttpError, httpErrorBody, httpStatusOfKind } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler, Response } from 'express';
import { requestIdOf } from './context.ts';

/** What an endpoint answers. */
export interface Answer {
  readonly status: number;
  /** Absent where the status has none. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function errorAnswer(status: number, text?: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: httpErrorBody(status, text), headers };
}

/** Sends an answer as JSON that may not be stored, unless its headers say otherwise: it is one business's data. */
export function sendAnswer(res: Response, { status, body, headers = {} }: Answer): void {
  res.status(status).set({ 'Cache-Control': 'no-store', ...headers });
  if (body === undefined) res.end();
  else res.json(body);
}

/** Seconds after which a caller may try again while the database cannot serve. */
const retryAfter = '1';

/** The one place where an error becomes an answer. */
export function renderError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    const answer = answerTo(error);
    const requestId = requestIdOf(req);
    if (answer.status === 500) logger.error({ requestId, err: error }, 'request failed');
    if (answer.status === 503) logger.warn({ requestId, err: error }, 'request could not be served');
    sendAnswer(res, answer);
  };
}

function answerTo(error: unknown): Answer {
  if (error instanceof HttpError) return errorAnswer(error.status, error.message);
  const parserStatus = statusOfParserError(error);
  if (parserStatus !== undefined) return errorAnswer(parserStatus, parserTexts[parserStatus]);
  const { kind, message } = toAppError(error);
  return errorAnswer(
    httpStatusOfKind[kind],
    message,
    kind === 'unavailable' ? { 'Retry-After': retryAfter } : {},
  );
}

/** Our words for what Express and its body parser refuse; theirs quote the body. */
const parserTexts: Readonly<Record<number, string>> = {
  400: 'the request is malformed',
  413: 'the body is larger than 256 kB',
  415: 'the encoding or charset of the body is not supported',
};

/** Errors of Express and its body parser carry a 4xx status. */
function statusOfParserError(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status in parserTexts ? error.status : undefined;
}
