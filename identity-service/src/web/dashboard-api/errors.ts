import { STATUS_CODES } from 'node:http';
import { toAppError } from '@platform/service-kit/app-error.ts';
import { HttpError, httpStatusOfKind } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler } from 'express';
import { parserTexts, statusOfParserError } from '../errors.ts';
import { InvalidInput, TooManyAttempts } from './input.ts';

/** Public texts of operations are written to stand behind a colon; on a page they stand for themselves. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Seconds after which to try again while something that we need does not answer. */
const retryAfter = '2';

interface ApiError {
  readonly code: number;
  /** A sentence for the person at the screen. */
  readonly text: string;
  /** Stable snake_case word, where there is one. */
  readonly reason?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** The one place where an error of the dashboard API becomes JSON. */
export function renderApiError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    const { code, text, ...more } = apiErrorOf(error);
    if (code >= 500) logger.error({ requestId: res.locals.caller.requestId, err: error }, 'request failed');
    if (code === 503) res.set('Retry-After', retryAfter);
    if (error instanceof TooManyAttempts) res.set('Retry-After', String(error.retryAfterSeconds));
    res.status(code).json({ error: text, status: STATUS_CODES[code], code, ...more });
  };
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof HttpError) return { code: error.status, text: error.message };
  if (error instanceof InvalidInput) {
    return { code: 400, text: error.message, reason: error.reason, fields: error.fields };
  }
  const parserStatus = statusOfParserError(error);
  if (parserStatus !== undefined) return { code: parserStatus, text: parserTexts[parserStatus] ?? '' };
  const { kind, reason, message } = toAppError(error);
  if (kind === 'unavailable') {
    return {
      code: 503,
      text: 'Something that we need does not answer. Please try again in a moment.',
      reason,
    };
  }
  if (kind === 'internal') return { code: 500, text: 'Something went wrong on our side.' };
  return { code: httpStatusOfKind[kind], text: asSentence(message), reason };
}
