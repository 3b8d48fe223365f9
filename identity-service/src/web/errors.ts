import { toAppError } from '@platform/service-kit/app-error.ts';
import { HttpError, httpStatusOfKind } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler } from 'express';
import { type Answer, errorPage, sendAnswer } from './pages.ts';

/** Our words for what Express and its body parser refuse; theirs quote the body. */
export const parserTexts: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  413: 'This is larger than anything we ask for.',
  415: 'This is encoded in a way that we do not read.',
};

/** Errors of Express and its body parser carry a 4xx status. */
export function statusOfParserError(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status in parserTexts ? error.status : undefined;
}

/** Seconds after which a caller may try again while something that we need does not answer. */
const retryAfter = '2';

/** The one place where an error becomes a page. */
export function renderError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    const answer = answerTo(error);
    if (answer.status >= 500) {
      logger.error({ requestId: res.locals.caller.requestId, err: error }, 'request failed');
    }
    sendAnswer(res, answer);
  };
}

type ErrorAnswer = Extract<Answer, { page: unknown }> & { readonly status: number };

function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof HttpError) return errorAnswer(error.status, error.message);
  const parserStatus = statusOfParserError(error);
  if (parserStatus !== undefined) return errorAnswer(parserStatus, parserTexts[parserStatus]);
  const { kind } = toAppError(error);
  if (kind === 'unavailable') {
    const text = 'Something that we need does not answer. Please try again in a moment.';
    return { ...errorAnswer(503, text), headers: { 'Retry-After': retryAfter } };
  }
  // Handlers turn what a person can mend into a page of their own; what is left is ours to mend.
  return errorAnswer(httpStatusOfKind[kind] < 500 ? 400 : 500);
}

export function errorAnswer(status: number, text?: string): ErrorAnswer {
  return { status, page: errorPage(status, text) };
}
