import type { Request } from 'express';
import type { FailedRequest } from '../requests/request-book.ts';
import { isPublic, matchRoute, requiredScopeOf } from '../routes/route-table.ts';

/**
 * What is to be recorded of a request that was answered with `status`, at `at` (milliseconds since 1970); undefined for
 * what is not the API: pages and the OAuth endpoints.
 */
export function failedRequestOf(req: Request, status: number, at: number): FailedRequest | undefined {
  const { exchange, method } = req;
  const { requestId, path, principal, clientIp, refusal } = exchange;
  // What was refused as ambiguous was not looked up.
  const route = exchange.route ?? matchRoute(method, path);
  if (isPublic(route)) return undefined;
  const requiredScope = requiredScopeOf(route);
  return {
    requestId,
    at,
    method,
    path,
    route: route.name,
    status,
    refusal,
    principal,
    clientIp,
    requiredScope,
  };
}
