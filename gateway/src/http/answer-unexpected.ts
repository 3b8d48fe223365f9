import type { Logger } from '@platform/service-kit/logger.ts';
import type { ErrorRequestHandler } from 'express';
import { answerError } from './answer-error.ts';

/** The end of every path that should not exist: logged in full, told in three words. */
export function answerUnexpected(logger: Logger): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error, req, res, _next) => {
    logger.error({ err: error, requestId: req.exchange.requestId }, 'unexpected error');
    answerError(req, res, { code: 500, reason: 'unexpected', text: 'unexpected error' });
  };
}
