import type { RequestHandler } from 'express';
import { ambiguityOf } from './ambiguity.ts';
import { answerError } from './answer-error.ts';

const foreignMethods: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);

/** Lets through what has one meaning only, and bodies that are not announced as too large. */
export function refuseAmbiguous(maxBodyBytes: number): RequestHandler {
  return (req, res, next) => {
    const { exchange, url } = req;
    const query = url.indexOf('?');
    exchange.path = query === -1 ? url : url.slice(0, query);
    if (foreignMethods.has(req.method)) {
      answerError(req, res, {
        code: 405,
        reason: 'method',
        text: 'method not allowed',
        headers: { Allow: 'GET, HEAD, POST, PATCH' },
      });
      return;
    }
    const ambiguity = ambiguityOf(req, exchange.path);
    if (ambiguity !== undefined) {
      res.shouldKeepAlive = false;
      answerError(req, res, ambiguity);
      return;
    }
    if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) {
      answerError(req, res, {
        code: 413,
        reason: 'body_too_large',
        text: `the body is larger than ${maxBodyBytes} bytes`,
      });
      return;
    }
    next();
  };
}
