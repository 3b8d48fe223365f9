import { toAppError } from '@platform/service-kit/app-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler } from 'express';
import { OAuthError, type OAuthErrorCode, ThrottledError } from './oauth-error.ts';

interface ErrorAnswer {
  readonly status: number;
  readonly error: OAuthErrorCode;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds after which a client may try again while something that we need does not answer. */
const retryAfter = '1';

/** The one place where an error of the endpoints for programs becomes an answer (RFC 6749 section 5.2). */
export function renderOAuthError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    const { status, error: code, description, headers = {} } = answerTo(error);
    if (status >= 500) {
      logger.error({ requestId: res.locals.caller.requestId, err: error }, 'request failed');
    }
    res
      .status(status)
      .set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', ...headers })
      .json({ error: code, error_description: description });
  };
}

function answerTo(error: unknown): ErrorAnswer {
  if (error instanceof OAuthError) return oauthAnswer(error);
  if (error instanceof ThrottledError) {
    const headers = { 'Retry-After': String(error.retryAfterSeconds) };
    return { status: 429, error: 'temporarily_unavailable', description: error.message, headers };
  }
  const parserAnswer = answerToParser(error);
  if (parserAnswer !== undefined) return parserAnswer;
  if (toAppError(error).kind === 'unavailable') {
    const description = 'the service is temporarily unavailable';
    return { status: 503, error: 'server_error', description, headers: { 'Retry-After': retryAfter } };
  }
  return { status: 500, error: 'server_error', description: 'unexpected error' };
}

function oauthAnswer({ code, message }: OAuthError): ErrorAnswer {
  if (code !== 'invalid_client') return { status: 400, error: code, description: message };
  const headers = { 'WWW-Authenticate': 'Basic realm="OAuth", charset="UTF-8"' };
  return { status: 401, error: code, description: message, headers };
}

/** Our words for what Express's body parser refuses; theirs quote the body. */
function answerToParser(error: unknown): ErrorAnswer | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status < 400 || error.status >= 500) return undefined;
  return error.status === 413
    ? { status: 413, error: 'invalid_request', description: 'the body is larger than 64 kB' }
    : { status: 400, error: 'invalid_request', description: 'the body cannot be read' };
}
