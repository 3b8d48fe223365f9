import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';

/**
 * Lets the gateway in and nobody else: callers past it could claim any address. For everybody else there is nothing here.
 * Digests are compared, so that the time tells neither the secret nor its length.
 */
export function requireGateway(secret: string): RequestHandler {
  const expected = digest(secret);
  return function requireGatewaySecret(req, res, next) {
    const shown = req.headers['x-gateway-secret'];
    if (typeof shown === 'string' && timingSafeEqual(digest(shown), expected)) return next();
    res.status(404).end();
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();
