import type { RequestHandler, Response } from 'express';

/** Lets logged-in people pass; others log in first and come back to where a GET was going. */
export const requirePerson: RequestHandler = (req, res, next) => {
  if (res.locals.session.personId !== undefined) return next();
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  res.redirect(303, isRead ? `/login?continue=${encodeURIComponent(req.originalUrl)}` : '/login');
};

/** Who is logged in, behind `requirePerson`. */
export function personOf(res: Response): string {
  const { personId } = res.locals.session;
  if (personId === undefined) throw new Error('a page for people only, without requirePerson');
  return personId;
}
