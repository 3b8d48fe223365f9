import type { Scope } from '@platform/protos/vocabulary';
import type { RequestHandler } from 'express';
import { type GatewayError, methodNotAllowed } from './edge/errors.ts';

/** Services that the gateway forwards to. */
export type Upstream = 'business' | 'identity';

/** Where a request goes: to a service, or to the documentation, which the gateway has itself. */
export type Destination = Upstream | 'docs';

/** What a route is for: it decides how its errors look, and shares the upstream with others of its kind. */
export type RouteKind = 'api' | 'oauth' | 'page';

/** A row of the route table. */
interface Route {
  /** Path as callers write it; `{id}` stands for one segment, a final `{rest}` for all that follows. */
  readonly path: string;
  readonly upstream: Destination;
  /**
   * Methods, each with the scope that it asks for; null where nobody needs a credential, since the upstream itself asks
   * for one (a session, a client secret). GET serves HEAD.
   */
  readonly methods: Readonly<Record<string, Scope | null>>;
}

const page = { GET: null };

const form = { GET: null, POST: null };

const api = { GET: null, POST: null, PUT: null, PATCH: null, DELETE: null };

/** Everything that the gateway serves. What has no row here is 404, and only after authentication. */
const routes: readonly Route[] = [
  { path: '/v2/businesses/me', upstream: 'business', methods: { GET: 'business:read' } },
  { path: '/v2/order', upstream: 'business', methods: { GET: 'orders:read', POST: 'orders:write' } },
  { path: '/v2/order/{id}', upstream: 'business', methods: { GET: 'orders:read', PATCH: 'orders:write' } },

  { path: '/v2/oauth/token', upstream: 'identity', methods: { POST: null } },
  { path: '/v2/oauth/revoke', upstream: 'identity', methods: { POST: null } },
  { path: '/.well-known/oauth-authorization-server', upstream: 'identity', methods: page },
  { path: '/oauth/authorize', upstream: 'identity', methods: page },
  { path: '/oauth/consent', upstream: 'identity', methods: { POST: null } },

  { path: '/signup', upstream: 'identity', methods: form },
  { path: '/signup/confirm', upstream: 'identity', methods: form },
  { path: '/login', upstream: 'identity', methods: form },
  { path: '/login/second-factor', upstream: 'identity', methods: form },
  { path: '/logout', upstream: 'identity', methods: { POST: null } },
  { path: '/password/forgot', upstream: 'identity', methods: form },
  { path: '/password/reset', upstream: 'identity', methods: form },
  { path: '/account', upstream: 'identity', methods: form },
  { path: '/account/{rest}', upstream: 'identity', methods: form },
  { path: '/assets/{rest}', upstream: 'identity', methods: page },

  { path: '/', upstream: 'identity', methods: page },
  { path: '/dashboard', upstream: 'identity', methods: page },
  { path: '/dashboard/', upstream: 'identity', methods: page },
  { path: '/dashboard/{rest}', upstream: 'identity', methods: page },
  { path: '/dashboard-api/{rest}', upstream: 'identity', methods: api },
  { path: '/docs', upstream: 'docs', methods: page },
  { path: '/docs/{rest}', upstream: 'docs', methods: page },
];

/** What is counted separately: every method of every row is one object, so that it can be a key by itself. */
export interface Endpoint {
  /** Empty where the row does not have the method. */
  readonly method: string;
  /** The row's path; `none` where there is no row. */
  readonly name: string;
}

/** The row that a request falls on. */
export type RouteMatch = Endpoint & (Found | MethodNotAllowed | NotFound);

interface Found {
  readonly kind: 'found';
  readonly routeKind: RouteKind;
  readonly upstream: Destination;
  /** Scope that the request needs; null when it needs no credential. */
  readonly scope: Scope | null;
  /** Version prefix, which the upstream does not see. */
  readonly prefix: string;
}

interface MethodNotAllowed {
  readonly kind: 'method_not_allowed';
  readonly allow: string;
  /** Whether no method of the row needs a credential, so that strangers may be told. */
  readonly isPublic: boolean;
}

interface NotFound {
  readonly kind: 'not_found';
}

interface CompiledRow {
  readonly path: string;
  readonly pattern: RegExp;
  readonly byMethod: ReadonlyMap<string, RouteMatch>;
  readonly otherMethods: RouteMatch;
}

const rows: readonly CompiledRow[] = routes.map(compile);

const exactRows = new Map(rows.map((row) => [row.path, row]));

const patternRows = rows.filter(({ path }) => path.includes('{'));

const notFound: RouteMatch = { kind: 'not_found', method: '', name: 'none' };

/** Finds the row for a method and a path that passed `ambiguityOf`; the comparison is exact. */
export function matchRoute(method: string, path: string): RouteMatch {
  const row = exactRows.get(path) ?? patternRows.find(({ pattern }) => pattern.test(path));
  if (row === undefined) return notFound;
  return row.byMethod.get(method) ?? row.otherMethods;
}

/** Whether a request needs no credential here. */
export function isPublic(route: RouteMatch): boolean {
  if (route.kind === 'found') return route.scope === null;
  return route.kind === 'method_not_allowed' && route.isPublic;
}

/** The scope that a request needs; empty when authentication alone is asked for. */
export function requiredScopeOf(route: RouteMatch | undefined): Scope | '' {
  return (route?.kind === 'found' && route.scope) || '';
}

function compile({ path, upstream, methods }: Route): CompiledRow {
  const prefix = path.startsWith('/v2/') ? '/v2' : '';
  const scopes = Object.entries(methods).flatMap(([method, scope]) =>
    method === 'GET' ? [['GET', scope] as const, ['HEAD', scope] as const] : [[method, scope] as const],
  );
  const found = ([method, scope]: readonly [string, Scope | null]): [string, RouteMatch] => [
    method,
    { kind: 'found', routeKind: kindOf(path, upstream), method, name: path, upstream, scope, prefix },
  ];
  return {
    path,
    pattern: patternOf(path),
    byMethod: new Map(scopes.map(found)),
    otherMethods: {
      kind: 'method_not_allowed',
      method: '',
      name: path,
      allow: scopes.map(([method]) => method).join(', '),
      isPublic: scopes.every(([, scope]) => scope === null),
    },
  };
}

function kindOf(path: string, upstream: Destination): RouteKind {
  if (upstream === 'business') return 'api';
  return path.startsWith('/v2/oauth/') ? 'oauth' : 'page';
}

function patternOf(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.');
  return new RegExp(`^${escaped.replace('{id}', '[A-Za-z0-9_-]{1,64}').replace('{rest}', '[^{}]{1,500}')}$`);
}

/** Finds the row of the route table; what it says of strangers' paths waits until they are authenticated. */
export const findRoute: RequestHandler = (req, _res, next) => {
  req.exchange.route = matchRoute(req.method, req.exchange.path);
  next();
};

const noSuchRoute: GatewayError = { code: 404, reason: 'no_route', text: 'not found' };

/** 404 and 405, for authenticated callers only. */
export const requireRoute: RequestHandler = ({ exchange }, _res, next) => {
  const { route } = exchange;
  if (route?.kind === 'found') return next();
  exchange.refuse(route?.kind === 'method_not_allowed' ? methodNotAllowed(route.allow) : noSuchRoute);
};
