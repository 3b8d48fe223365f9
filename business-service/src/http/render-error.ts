import { toAppError } from '@platform/service-kit/app-error.ts';
import { HttpError, httpStatusOfKind } from '@platform/service-kit/http-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler } from 'express';
import { type Answer, errorAnswer, sendAnswer } from './answer.ts';
import { requestIdOf } from './caller.ts';

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
