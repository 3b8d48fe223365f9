import type { RequestHandler } from 'express';
import { matchRoute } from '../routes/route-table.ts';
import { type GatewayError, methodNotAllowed } from './gateway-error.ts';

/** Finds the row of the route table; what it says of strangers' paths waits until they are authenticated. */
export const findRoute: RequestHandler = (req, _res, next) => {
  req.exchange.route = matchRoute(req.method, req.exchange.path);
  next();
};

const notFound: GatewayError = { code: 404, reason: 'no_route', text: 'not found' };

/** 404 and 405, for authenticated callers only. */
export const requireRoute: RequestHandler = ({ exchange }, _res, next) => {
  const { route } = exchange;
  if (route?.kind === 'found') return next();
  exchange.refuse(route?.kind === 'method_not_allowed' ? methodNotAllowed(route.allow) : notFound);
};
