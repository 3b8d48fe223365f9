import type { RequestHandler } from 'express';
import { ambiguityOf } from './ambiguity.ts';
import { bodyTooLarge, methodNotAllowed, methodsOfApi } from './gateway-error.ts';

const foreignMethods: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);

/** Lets through what has one meaning only, and bodies that are not announced as too large. */
export function refuseAmbiguous(maxBodyBytes: number): RequestHandler {
  return (req, _res, next) => {
    const { exchange, url } = req;
    const query = url.indexOf('?');
    exchange.path = query === -1 ? url : url.slice(0, query);
    if (foreignMethods.has(req.method)) return exchange.refuse(methodNotAllowed(methodsOfApi));
    const ambiguity = ambiguityOf(req, exchange.path);
    if (ambiguity !== undefined) return exchange.refuse(ambiguity);
    if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) {
      return exchange.refuse(bodyTooLarge(maxBodyBytes));
    }
    next();
  };
}
