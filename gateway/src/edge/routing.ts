import type { Request, RequestHandler } from 'express';
import type { RouteTable } from '../routes.ts';
import { type GatewayError, methodNotAllowed } from './errors.ts';

/** Finds the route. 404 and 405 of the API wait until the client is authenticated. */
export function findRoute(routes: RouteTable): RequestHandler {
  return (req, _res, next) => {
    const { exchange } = req;
    const route = routes.match(req.method, exchange.path);
    exchange.route = route;
    if (route.kind === 'found' && route.headers !== undefined) Object.assign(exchange.headers, route.headers);
    next();
  };
}

/** 308 to the path without its final slash, with the query. */
export function redirectSlash({ exchange, url }: Request): void {
  const query = /\?.*$/.exec(url)?.[0] ?? '';
  const location = `${exchange.path.replace(/\/$/, '')}${query}`;
  exchange.respond(308, { Location: location, 'Content-Length': 0 }, Buffer.alloc(0));
}

function isPageWithSlash(routes: RouteTable, method: string, path: string): boolean {
  if (!/^\/.+\/$/.test(path) || !['GET', 'HEAD'].includes(method)) return false;
  const route = routes.match(method, path.slice(0, -1));
  return route.kind === 'found' && route.routeKind === 'page';
}

const noSuchRoute: GatewayError = { code: 404, reason: 'no_route', text: 'not found' };

/** 404 and 405; of the API for authenticated clients only. A page with a final slash is the one without. */
export function requireRoute(routes: RouteTable): RequestHandler {
  return (req, _res, next) => {
    const { exchange, method } = req;
    const { route } = exchange;
    if (route?.kind === 'found') return next();
    if (isPageWithSlash(routes, method, exchange.path)) return redirectSlash(req);
    exchange.refuse(route?.kind === 'method_not_allowed' ? methodNotAllowed(route.allow) : noSuchRoute);
  };
}
