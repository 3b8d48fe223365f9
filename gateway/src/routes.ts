import type { Scope } from '@platform/protos/vocabulary';
import { Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { type Deprecation, deprecationHeaders } from './deprecation.ts';

/**
 * What the gateway forwards to: a service, or `feed`, the requests to business-service that may wait for an event. They
 * have slots and connections of their own, so that those that wait take none from the others.
 */
export type Upstream = 'business' | 'feed' | 'identity';

/** Where a request goes: to a service, or to what the gateway serves itself, the documentation and the state of the limit. */
export type Destination = Upstream | 'docs' | 'limit';

/** Kind of a route: decides the format of its errors and its share of the upstream. */
export type RouteKind = 'api' | 'oauth' | 'page';

/** A row of the route table. */
interface Route {
  /** Public path; `{id}` is one segment, a final `{rest}` everything that follows. */
  readonly path: string;
  readonly upstream: Destination;
  /**
   * Scope by method; empty where any credential is enough, null where the gateway requires none, because the upstream
   * authenticates (session, client secret, a key that ends itself). GET includes HEAD.
   */
  readonly methods: Readonly<Record<string, Scope | '' | null>>;
  /** Announced by every response (docs-site/guides/versions.md). */
  readonly deprecation?: Deprecation;
  /** Whether a GET may become a WebSocket. */
  readonly websocket?: boolean;
}

const page = { GET: null };

const form = { GET: null, POST: null };

const api = { GET: null, POST: null, PUT: null, PATCH: null, DELETE: null };

/** Everything that the gateway serves. Other paths are 404; below /v2 after authentication. */
const routes: readonly Route[] = [
  { path: '/v2/businesses/me', upstream: 'business', methods: { GET: 'business:read' } },
  { path: '/v2/order', upstream: 'business', methods: { GET: 'orders:read', POST: 'orders:write' } },
  { path: '/v2/order/{id}', upstream: 'business', methods: { GET: 'orders:read', PATCH: 'orders:write' } },

  { path: '/v2/rate-limit', upstream: 'limit', methods: { GET: '' } },

  { path: '/v2/events', upstream: 'feed', methods: { GET: 'events:read' } },

  { path: '/v2/keys/self-revoke', upstream: 'identity', methods: { POST: null } },
  { path: '/v2/leaks', upstream: 'identity', methods: { POST: null } },
  { path: '/v2/leaks/github', upstream: 'identity', methods: { POST: null } },

  { path: '/v2/oauth/token', upstream: 'identity', methods: { POST: null } },
  { path: '/v2/oauth/revoke', upstream: 'identity', methods: { POST: null } },
  { path: '/.well-known/oauth-authorization-server', upstream: 'identity', methods: page },
  { path: '/.well-known/webhook-keys/{id}', upstream: 'identity', methods: page },
  { path: '/.well-known/promises-keys', upstream: 'identity', methods: page },
  { path: '/oauth/authorize', upstream: 'identity', methods: page },
  { path: '/oauth/consent', upstream: 'identity', methods: { POST: null } },

  { path: '/signup', upstream: 'identity', methods: form },
  { path: '/signup/confirm', upstream: 'identity', methods: form },
  { path: '/login', upstream: 'identity', methods: form },
  { path: '/login/second-factor', upstream: 'identity', methods: form },
  { path: '/login/second-factor/passkey', upstream: 'identity', methods: { POST: null } },
  { path: '/login/second-factor/passkey/options', upstream: 'identity', methods: { POST: null } },
  { path: '/login/passkey', upstream: 'identity', methods: { POST: null } },
  { path: '/login/passkey/options', upstream: 'identity', methods: { POST: null } },
  { path: '/logout', upstream: 'identity', methods: { POST: null } },
  { path: '/password/forgot', upstream: 'identity', methods: form },
  { path: '/password/reset', upstream: 'identity', methods: form },
  { path: '/account', upstream: 'identity', methods: form },
  { path: '/account/{rest}', upstream: 'identity', methods: form },
  { path: '/logos/{rest}', upstream: 'identity', methods: page },
  { path: '/assets/{rest}', upstream: 'identity', methods: page },

  { path: '/', upstream: 'identity', methods: page },
  { path: '/promises', upstream: 'identity', methods: page },
  { path: '/promises.json', upstream: 'identity', methods: page },
  { path: '/dashboard', upstream: 'identity', methods: page },
  { path: '/dashboard/{rest}', upstream: 'identity', methods: page },
  { path: '/dashboard-api/{rest}', upstream: 'identity', methods: api },
  { path: '/operators', upstream: 'identity', methods: page },
  { path: '/operators/api/{rest}', upstream: 'identity', methods: api },
  { path: '/operators/{rest}', upstream: 'identity', methods: page },
  { path: '/docs', upstream: 'docs', methods: page },
  { path: '/docs/{rest}', upstream: 'docs', methods: page },
  { path: '/robots.txt', upstream: 'docs', methods: page },
  { path: '/llms.txt', upstream: 'docs', methods: page },
  { path: '/llms-full.txt', upstream: 'docs', methods: page },
  { path: '/.well-known/api-catalog', upstream: 'docs', methods: page },
  { path: '/.well-known/security.txt', upstream: 'docs', methods: page },
];

/** Name of requests without a route. */
const noRoute = 'none';

/** Every name of a route in metrics. */
export const routeNames: readonly string[] = [...routes.map(({ path }) => path), noRoute];

/** Exports the upstream of each route: joined with them, metrics by route become metrics by upstream. */
export function measureRoutes(registry: Registry): void {
  const info = new Gauge({
    name: 'gateway_route_info',
    help: '1 for each route, with its upstream',
    labelNames: ['route', 'upstream'],
    registers: [registry],
  });
  for (const { path, upstream } of routes) info.set({ route: path, upstream }, 1);
}

/** Unit of usage statistics. One object per method and route, so that it can be a Map key. */
export interface Endpoint {
  /** Empty when the route does not have the method. */
  readonly method: string;
  /** Path of the route; `none` without a route. */
  readonly name: string;
}

/** Result of routing. */
export type RouteMatch = Endpoint & (RouteFound | MethodNotAllowed | NotFound);

interface RouteFound {
  readonly kind: 'found';
  readonly routeKind: RouteKind;
  readonly upstream: Destination;
  /** Required scope; empty where any credential is enough, null without one. */
  readonly scope: Scope | '' | null;
  /** Version prefix, stripped before forwarding. */
  readonly prefix: string;
  /** Of every response; undefined unless the route is deprecated. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether a GET may become a WebSocket. */
  readonly websocket: boolean;
}

interface MethodNotAllowed {
  readonly kind: 'method_not_allowed';
  readonly allow: string;
  /** Whether no method of the route requires a credential, so that clients without one may get the 405. */
  readonly isPublic: boolean;
}

interface NotFound {
  readonly kind: 'not_found';
  /** Whether the path is outside the API, so that clients without a credential may get the 404. */
  readonly isPublic: boolean;
}

interface CompiledRoute {
  readonly path: string;
  readonly pattern: RegExp;
  readonly byMethod: ReadonlyMap<string, RouteMatch>;
  readonly otherMethods: RouteMatch;
}

const compiledRoutes: readonly CompiledRoute[] = routes.map(compile);

const exactRoutes = new Map(compiledRoutes.map((route) => [route.path, route]));

const patternRoutes = compiledRoutes.filter(({ path }) => path.includes('{'));

const noOperation: RouteMatch = { kind: 'not_found', method: '', name: noRoute, isPublic: false };

const noPage: RouteMatch = { ...noOperation, isPublic: true };

const apiPath = /^\/v2(?:\/|$)/i;

/** Whether a path belongs to the API, in whichever case it is written. */
export const isApiPath = (path: string): boolean => apiPath.test(path);

/** Finds the route of a method and a path that passed `ambiguityOf`; paths match exactly. */
export function matchRoute(method: string, path: string): RouteMatch {
  const route = exactRoutes.get(path) ?? patternRoutes.find(({ pattern }) => pattern.test(path));
  if (route === undefined) return isApiPath(path) ? noOperation : noPage;
  return route.byMethod.get(method) ?? route.otherMethods;
}

/** Whether a request requires no credential. */
export function isPublic(route: RouteMatch): boolean {
  if (route.kind === 'found') return route.scope === null;
  return route.isPublic;
}

/** Whether a request counts in the rolling hour of its credential. */
export const isCounted = (route: RouteMatch | undefined): boolean =>
  route?.kind !== 'found' || route.upstream !== 'limit';

/** The required scope; empty when authentication is enough. */
export function requiredScopeOf(route: RouteMatch | undefined): Scope | '' {
  return (route?.kind === 'found' && route.scope) || '';
}

/** @param route a row of the table */
export function compile({ path, upstream, methods, deprecation, websocket = false }: Route): CompiledRoute {
  const headers = deprecation && deprecationHeaders(deprecation);
  const prefix = path.startsWith('/v2/') ? '/v2' : '';
  const scopes = Object.entries(methods).flatMap(([method, scope]) =>
    method === 'GET' ? [['GET', scope] as const, ['HEAD', scope] as const] : [[method, scope] as const],
  );
  const found = ([method, scope]: readonly [string, Scope | '' | null]): [string, RouteMatch] => [
    method,
    {
      kind: 'found',
      routeKind: kindOf(path),
      method,
      name: path,
      upstream,
      scope,
      prefix,
      headers,
      websocket,
    },
  ];
  return {
    path,
    pattern: toPattern(path),
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

function kindOf(path: string): RouteKind {
  if (path.startsWith('/v2/oauth/')) return 'oauth';
  return path.startsWith('/v2/') ? 'api' : 'page';
}

function toPattern(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.');
  return new RegExp(`^${escaped.replace('{id}', '[A-Za-z0-9_-]{1,64}').replace('{rest}', '[^{}]{1,500}')}$`);
}
