import { toAppError } from '@platform/service-kit/app-error.ts';
import { errorHandler, httpStatusOfKind, toHttpError } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler } from 'express';
import { errorPage, type PageResponse, sendPage } from './pages.ts';

/** Texts for requests that Express or a body parser refuses. */
export const parserTexts = {
  400: 'The request is malformed.',
  413: 'This is larger than anything we ask for.',
  415: 'This is encoded in a way that we do not read.',
};

/** Seconds after which a client may try again while a dependency is down. */
export const retryAfter = '2';

export const unavailableText = 'A part of the service is not available. Please try again in a moment.';

/** Error handler of the pages. */
export function handlePageErrors(logger: Logger): ErrorRequestHandler {
  return errorHandler(logger, responseTo, sendPage);
}

type ErrorResponse = Extract<PageResponse, { page: unknown }> & { readonly status: number };

function responseTo(error: unknown): ErrorResponse {
  const refused = toHttpError(error, parserTexts);
  if (refused !== undefined) return errorResponse(refused.status, refused.message);
  const { kind } = toAppError(error);
  if (kind === 'unavailable') {
    return { ...errorResponse(503, unavailableText), headers: { 'Retry-After': retryAfter } };
  }
  // Pages show errors of input themselves; any other that arrives here is a defect.
  return errorResponse(httpStatusOfKind[kind] < 500 ? 400 : 500);
}

export function errorResponse(status: number, text?: string): ErrorResponse {
  return { status, page: errorPage(status, text) };
}
