import {
  errorHandler,
  httpErrorBody,
  httpStatusOfKind,
  toHttpError,
} from '@platform/service-kit/http/errors.ts';
import { InputError } from '@platform/service-kit/input/validation.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { ErrorRequestHandler, Response } from 'express';
import { retryAfter } from './errors.ts';

/** An error of an endpoint under /v2, in the form of the API (contract 7.2). */
interface ApiError {
  readonly status: number;
  /** Public text; never sent with 403. */
  readonly text?: string;
  /** Section of the page about errors; that of the status where absent, which the gateway adds. */
  readonly section?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by a handler. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly response: ApiError;

  constructor(response: ApiError) {
    super(response.text);
    this.response = response;
  }
}

/** @param seconds until another request may be admitted */
export function tooManyRequests(seconds: number): ApiRefusal {
  return new ApiRefusal({
    status: 429,
    text: 'Rate limit exceeded',
    section: 'rate_limit_exceeded',
    headers: { 'Retry-After': String(seconds) },
  });
}

const parserTexts = {
  400: 'the body cannot be read',
  413: 'the body is too large',
  415: 'the encoding of the body is not supported',
};

/** Error handler of endpoints under /v2. @param docsUrl address of the page about errors */
export function handleApiErrors(logger: Logger, docsUrl: string): ErrorRequestHandler {
  return errorHandler(logger, responseTo, (res, response) => sendError(res, response, docsUrl));
}

function responseTo(error: unknown): ApiError {
  if (error instanceof ApiRefusal) return error.response;
  const refused = toHttpError(error, parserTexts);
  if (refused !== undefined) return { status: refused.status, text: refused.message };
  const { kind, message } = toAppError(error);
  if (error instanceof InputError) return { status: 400, text: message };
  if (kind === 'unavailable') {
    const text = 'the service is not available at the moment';
    return { status: 503, text, headers: { 'Retry-After': retryAfter } };
  }
  return { status: httpStatusOfKind[kind], text: 'unexpected error' };
}

function sendError(res: Response, { status, text, section, headers = {} }: ApiError, docsUrl: string): void {
  const help = section === undefined ? {} : { Link: `<${docsUrl}#${section}>; rel="help"` };
  res
    .status(status)
    .set({ 'Cache-Control': 'no-store', ...help, ...headers })
    .json(httpErrorBody(status, text));
}
