import type { RequestHandler } from 'express';
import { matchRoute } from '../routes/route-table.ts';
import { answerError } from './answer-error.ts';

/** Finds the row of the route table; what it says of strangers' paths waits until they are authenticated. */
export const findRoute: RequestHandler = (req, _res, next) => {
  req.exchange.route = matchRoute(req.method, req.exchange.path);
  next();
};

/** 404 and 405, for authenticated callers only. */
export const requireRoute: RequestHandler = (req, res, next) => {
  const { route } = req.exchange;
  if (route?.kind === 'found') return next();
  if (route?.kind === 'method_not_allowed') {
    const headers = { Allow: route.allow };
    return answerError(req, res, { code: 405, reason: 'method', text: 'method not allowed', headers });
  }
  answerError(req, res, { code: 404, reason: 'no_route', text: 'not found' });
};
