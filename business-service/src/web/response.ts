import { type InvalidInput, invalidInputHeader } from '@platform/protos/vocabulary';
import {
  errorHandler,
  httpErrorBody,
  httpStatusOfKind,
  toHttpError,
} from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { ErrorRequestHandler, Response } from 'express';
import { headerValueOf, InvalidRequest } from './invalid-input.ts';

/** A response of an endpoint. */
export interface ApiResponse {
  readonly status: number;
  /** Absent where the status has none. */
  readonly body?: unknown;
  /** JSON text, sent as it is in place of `body`. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function errorResponse(
  status: number,
  text?: string,
  headers: ApiResponse['headers'] = {},
): ApiResponse {
  return { status, body: httpErrorBody(status, text), headers };
}

/** 400 for a part of the request, which a header names for the gateway. */
export function invalidResponse(input: InvalidInput, text: string, status = 400): ApiResponse {
  return errorResponse(status, text, { [invalidInputHeader]: headerValueOf(input) });
}

/** 403 for a credential without the scopes (RFC 6750 section 3.1). */
export function insufficientScope(scopes: readonly string[]): ApiResponse {
  return errorResponse(403, undefined, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
  });
}

/** Sends JSON; `no-store` unless the response says otherwise, since it is one business's data. */
export function sendResponse(res: Response, { status, body, json, headers = {} }: ApiResponse): void {
  res.status(status).set({ 'Cache-Control': 'no-store', ...headers });
  if (json !== undefined) res.type('json').send(json);
  else if (body === undefined) res.end();
  else res.json(body);
}

/** The app's error handler. */
export function handleErrors(logger: Logger): ErrorRequestHandler {
  return errorHandler(logger, responseTo, sendResponse);
}

/** Seconds after which a client may try again while the database cannot serve. */
const retryAfter = '1';

function responseTo(error: unknown): ApiResponse {
  if (error instanceof InvalidRequest) return invalidResponse(error.input, error.message, error.status);
  const refused = toHttpError(error, parserTexts);
  if (refused !== undefined) return errorResponse(refused.status, refused.message);
  const { kind, message } = toAppError(error);
  const headers = kind === 'unavailable' ? { 'Retry-After': retryAfter } : {};
  return errorResponse(httpStatusOfKind[kind], message, headers);
}

const parserTexts = {
  400: 'the request is malformed',
  413: 'the body is larger than 256 kB',
  415: 'the encoding of the body is not supported',
};
