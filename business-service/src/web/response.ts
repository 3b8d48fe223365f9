import { toAppError } from '@platform/service-kit/app-error.ts';
import {
  errorHandler,
  httpErrorBody,
  httpStatusOfKind,
  toHttpError,
} from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler, Response } from 'express';

/** A response of an endpoint. */
export interface ApiResponse {
  readonly status: number;
  /** Absent where the status has none. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function errorResponse(
  status: number,
  text?: string,
  headers: ApiResponse['headers'] = {},
): ApiResponse {
  return { status, body: httpErrorBody(status, text), headers };
}

/** Sends JSON; `no-store` unless the response says otherwise, since it is one business's data. */
export function sendResponse(res: Response, { status, body, headers = {} }: ApiResponse): void {
  res.status(status).set({ 'Cache-Control': 'no-store', ...headers });
  if (body === undefined) res.end();
  else res.json(body);
}

/** The app's error handler. */
export function handleErrors(logger: Logger): ErrorRequestHandler {
  return errorHandler(logger, responseTo, sendResponse);
}

/** Seconds after which a client may try again while the database cannot serve. */
const retryAfter = '1';

function responseTo(error: unknown): ApiResponse {
  const refused = toHttpError(error, parserTexts);
  if (refused !== undefined) return errorResponse(refused.status, refused.message);
  const { kind, message } = toAppError(error);
  const headers = kind === 'unavailable' ? { 'Retry-After': retryAfter } : {};
  return errorResponse(httpStatusOfKind[kind], message, headers);
}

const parserTexts = {
  400: 'the request is malformed',
  413: 'the body is larger than 256 kB',
  415: 'the encoding or charset of the body is not supported',
};
