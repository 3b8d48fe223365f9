import { STATUS_CODES } from 'node:http';
import {
  errorHandler,
  FieldError,
  httpStatusOfKind,
  toHttpError,
} from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { ErrorRequestHandler, Response } from 'express';
import { parserTexts, retryAfter, unavailableText } from '../errors.ts';
import { InvalidInput, TooManyAttempts } from './input.ts';

/** Turns the public text of an operation's error, which is written to follow a colon, into a sentence. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

interface ApiError {
  readonly status: number;
  /** A sentence for the person at the screen. */
  readonly text: string;
  /** Stable snake_case code, where there is one. */
  readonly reason?: string;
  /** Error texts by field. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly retryAfter?: string;
}

/** Error handler of the dashboard API. */
export function handleApiErrors(logger: Logger): ErrorRequestHandler {
  return errorHandler(logger, apiErrorOf, sendApiError);
}

function sendApiError(res: Response, { status: code, text, retryAfter, ...more }: ApiError): void {
  if (retryAfter !== undefined) res.set('Retry-After', retryAfter);
  res.status(code).json({ error: text, status: STATUS_CODES[code], code, ...more });
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof TooManyAttempts) {
    return { status: error.status, text: error.message, retryAfter: String(error.retryAfterSeconds) };
  }
  if (error instanceof FieldError) return apiErrorOf(new InvalidInput({ [error.field]: error.problem }));
  if (error instanceof InvalidInput) {
    return { status: 400, text: error.message, reason: error.reason, fields: error.fields };
  }
  const refused = toHttpError(error, parserTexts);
  if (refused !== undefined) return { status: refused.status, text: asSentence(refused.message) };
  const { kind, reason, message } = toAppError(error);
  if (kind === 'unavailable') return { status: 503, text: unavailableText, reason, retryAfter };
  if (kind === 'internal') return { status: 500, text: 'Something went wrong on our side.' };
  return { status: httpStatusOfKind[kind], text: asSentence(message), reason };
}
