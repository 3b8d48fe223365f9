import { createHmac, timingSafeEqual } from 'node:crypto';
import { HttpError } from '@platform/service-kit/http-error.ts';
import type { RequestHandler } from 'express';
import type { BrowserSession } from './session.ts';

/**
 * CSRF tokens of a session: an HMAC of its id, which only we can make and which no other session has. No state, so that
 * the forms of visitors are protected too. One per secret, current first.
 */
export function csrfTokens(
  secrets: readonly [string, ...string[]],
  sessionId: string,
): [string, ...string[]] {
  const token = (secret: string) =>
    createHmac('sha256', secret).update(`csrf:${sessionId}`).digest('base64url');
  const [current, ...retired] = secrets;
  return [token(current), ...retired.map(token)];
}

/** Every POST to a page must carry the token of its own session in the field `_csrf`. @throws HttpError 403 */
export const checkCsrf: RequestHandler = (req, res, next) => {
  if (req.method !== 'POST') return next();
  if (isCsrfToken(res.locals.session, res.locals.form.get('_csrf') ?? '')) return next();
  next(new HttpError(403, 'This form is out of date. Go back, reload the page and send it again.'));
};

/** Whether a token is one of the session's, current or retired. */
export function isCsrfToken({ csrfTokens }: Pick<BrowserSession, 'csrfTokens'>, shown: string): boolean {
  return csrfTokens.some((token) => isEqual(Buffer.from(shown), Buffer.from(token)));
}

/** The length is no secret. */
function isEqual(shown: Buffer, token: Buffer): boolean {
  return shown.length === token.length && timingSafeEqual(shown, token);
}
