import { errorHandler } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { ErrorRequestHandler, Response } from 'express';
import type { OAuthReason } from '../traffic/oauth-reason.ts';
import {
  type AuthorizationServer,
  errorParameters,
  OAuthError,
  type OAuthErrorCode,
  RevocationUnconfirmed,
  ThrottledError,
} from './oauth-error.ts';

interface ErrorResponse {
  readonly status: number;
  readonly error: OAuthErrorCode;
  readonly description: string;
  /** For the owner of the application alone. */
  readonly reason: OAuthReason;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds after which a client may try again while a dependency is not available. */
const retryAfter = '1';

/** Error handler of the token and revocation endpoints (RFC 6749 section 5.2). */
export function handleOAuthErrors(logger: Logger, server: AuthorizationServer): ErrorRequestHandler {
  return errorHandler(logger, oauthErrorResponse, (res, response) => sendError(server, res, response));
}

type SentError = Omit<ErrorResponse, 'reason'>;

/** Sends an error of the token or revocation endpoint. */
export function sendError(server: AuthorizationServer, res: Response, response: SentError): void {
  const { status, error, description, headers = {} } = response;
  res
    .status(status)
    .set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', ...headers })
    .json(errorParameters(server, error, description));
}

/** Response to an error at the token or revocation endpoint. */
export function oauthErrorResponse(error: unknown): ErrorResponse {
  if (error instanceof OAuthError) return responseToOAuthError(error);
  if (error instanceof RevocationUnconfirmed) {
    const { message: description } = error;
    const headers = { 'Retry-After': '2' };
    return { status: 503, error: 'server_error', description, reason: 'revocation_unconfirmed', headers };
  }
  if (error instanceof ThrottledError) {
    const headers = { 'Retry-After': String(error.retryAfterSeconds) };
    const reason = 'client_throttled';
    return { status: 429, error: 'temporarily_unavailable', description: error.message, reason, headers };
  }
  const parserResponse = responseToParser(error);
  if (parserResponse !== undefined) return parserResponse;
  const failed = { error: 'server_error' } as const;
  if (toAppError(error).kind === 'unavailable') {
    const description = 'the service is temporarily unavailable';
    const headers = { 'Retry-After': retryAfter };
    return { ...failed, status: 503, description, reason: 'oauth_unavailable', headers };
  }
  return { ...failed, status: 500, description: 'unexpected error', reason: 'oauth_unexpected' };
}

function responseToOAuthError({ code, message, reason }: OAuthError): ErrorResponse {
  const response = { error: code, description: message, reason };
  if (code !== 'invalid_client') return { ...response, status: 400 };
  const headers = { 'WWW-Authenticate': 'Basic realm="OAuth", charset="UTF-8"' };
  return { ...response, status: 401, headers };
}

/** Errors of Express's body parser without their texts, which quote the body. */
function responseToParser(error: unknown): ErrorResponse | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status < 400 || error.status >= 500) return undefined;
  const response = { error: 'invalid_request', reason: 'oauth_unreadable' } as const;
  return error.status === 413
    ? { ...response, status: 413, description: 'the body is larger than 64 kB' }
    : { ...response, status: 400, description: 'the body cannot be read' };
}
