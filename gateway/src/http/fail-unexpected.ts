import type { ErrorRequestHandler } from 'express';

/** Express knows an error handler by its four parameters. */
export const failUnexpected: ErrorRequestHandler = (error, req, _res, _next) => req.exchange.fail(error);
