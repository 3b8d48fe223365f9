import { toAppError } from '@platform/service-kit/app-error.ts';
import { errorHandler } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler, Response } from 'express';
import { OAuthError, type OAuthErrorCode, ThrottledError } from './oauth-error.ts';

interface ErrorResponse {
  readonly status: number;
  readonly error: OAuthErrorCode;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds after which a client may try again while a dependency is not available. */
const retryAfter = '1';

/** Error handler of the token and revocation endpoints (RFC 6749 section 5.2). */
export function handleOAuthErrors(logger: Logger): ErrorRequestHandler {
  return errorHandler(logger, responseTo, sendError);
}

function sendError(res: Response, { status, error, description, headers = {} }: ErrorResponse): void {
  res
    .status(status)
    .set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', ...headers })
    .json({ error, error_description: description });
}

function responseTo(error: unknown): ErrorResponse {
  if (error instanceof OAuthError) return oauthResponse(error);
  if (error instanceof ThrottledError) {
    const headers = { 'Retry-After': String(error.retryAfterSeconds) };
    return { status: 429, error: 'temporarily_unavailable', description: error.message, headers };
  }
  const parserResponse = responseToParser(error);
  if (parserResponse !== undefined) return parserResponse;
  if (toAppError(error).kind === 'unavailable') {
    const description = 'the service is temporarily unavailable';
    return { status: 503, error: 'server_error', description, headers: { 'Retry-After': retryAfter } };
  }
  return { status: 500, error: 'server_error', description: 'unexpected error' };
}

function oauthResponse({ code, message }: OAuthError): ErrorResponse {
  if (code !== 'invalid_client') return { status: 400, error: code, description: message };
  const headers = { 'WWW-Authenticate': 'Basic realm="OAuth", charset="UTF-8"' };
  return { status: 401, error: code, description: message, headers };
}

/** Errors of Express's body parser without their texts, which quote the body. */
function responseToParser(error: unknown): ErrorResponse | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status < 400 || error.status >= 500) return undefined;
  return error.status === 413
    ? { status: 413, error: 'invalid_request', description: 'the body is larger than 64 kB' }
    : { status: 400, error: 'invalid_request', description: 'the body cannot be read' };
}
