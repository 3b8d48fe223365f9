import type { Api, Operation } from '@platform/service-kit/api/api.ts';
import { Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { deprecationHeaders } from './deprecation.ts';
import { type Page, pages } from './pages.ts';
import { PathTree } from './path-tree.ts';

/** Kind of a route: decides the format of its errors and its share of the upstream. */
export type RouteKind = 'api' | 'oauth' | 'page';

/** Unit of usage statistics. One object per method and route, so that it can be a Map key. */
export interface Endpoint {
  /** Empty when the route does not have the method. */
  readonly method: string;
  /** Path of the route; `none` without a route. */
  readonly name: string;
}

/** Result of routing. */
export type RouteMatch = Endpoint & (RouteFound | MethodNotAllowed | NotFound);

export interface RouteFound {
  readonly kind: 'found';
  readonly routeKind: RouteKind;
  /** A service, or what the gateway serves itself: `docs`, the documentation, and `limit`, the state of the limit. */
  readonly upstream: string;
  /** Whether the upstream is a service of the operator's: it gets a passport of its own, and the path as its document has it. */
  readonly isOwn: boolean;
  /** Required scope; empty where any credential is enough, null where the upstream authenticates. */
  readonly scope: string | null;
  /** Whether a request counts in the rolling hour of its credential. */
  readonly isCounted: boolean;
  /** Version prefix, stripped before forwarding. */
  readonly prefix: string;
  /** Of every response; undefined unless the route is deprecated. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether a GET may become a WebSocket. */
  readonly websocket: boolean;
  /** Operation that requests must match (`x-validate`); undefined where they are forwarded as they are. */
  readonly validated: Operation | undefined;
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

/** Everything that the gateway serves. Other paths are 404; below /v2 after authentication. */
export interface RouteTable {
  /** Every name of a route in metrics. */
  readonly names: readonly string[];
  /** Finds the route of a method and a path that passed `ambiguityOf`; paths match exactly. */
  match(method: string, path: string): RouteMatch;
  /** Exports the upstream of each route: joined with them, metrics by route become metrics by upstream. */
  measure(registry: Registry): void;
}

/** Routes of one path. */
interface PathRoutes {
  readonly path: string;
  readonly upstream: string;
  readonly byMethod: ReadonlyMap<string, RouteMatch>;
  readonly otherMethods: RouteMatch;
}

/** Name of requests without a route. */
const noRoute = 'none';

const noOperation: RouteMatch = { kind: 'not_found', method: '', name: noRoute, isPublic: false };

const noPage: RouteMatch = { ...noOperation, isPublic: true };

/** The operations of the API, and the pages. */
export function createRouteTable({ operations }: Pick<Api, 'operations'>): RouteTable {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  const all = [
    ...[...byPath].map(([path, group]) => pathRoutes(path, group.map(operationRoute))),
    ...pages.map((page) => pathRoutes(page.path, pageRoutes(page))),
  ];
  const find = createFinder(all);
  return {
    names: [...all.map(({ path }) => path), noRoute],
    match: (method, path) => {
      const routes = find(path);
      if (routes === undefined) return isApiPath(path) ? noOperation : noPage;
      return routes.byMethod.get(method) ?? routes.otherMethods;
    },
    measure: (registry) => {
      const info = new Gauge({
        name: 'gateway_route_info',
        help: '1 for each route, with its upstream',
        labelNames: ['route', 'upstream'],
        registers: [registry],
      });
      for (const { path, upstream } of all) info.set({ route: path, upstream }, 1);
    },
  };
}

function createFinder(all: readonly PathRoutes[]): (path: string) => PathRoutes | undefined {
  const exact = new Map(all.map((routes) => [routes.path, routes]));
  const operations = new PathTree<PathRoutes>('/v2/');
  const patterns: { readonly pattern: RegExp; readonly routes: PathRoutes }[] = [];
  for (const routes of all.filter(({ path }) => path.includes('{'))) {
    if (isApiPath(routes.path)) operations.add(routes.path, routes);
    else patterns.push({ pattern: pagePattern(routes.path), routes });
  }
  return (path) =>
    exact.get(path) ?? operations.find(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.routes;
}

function pagePattern(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.');
  return new RegExp(`^${escaped.replace('{id}', '[A-Za-z0-9_-]{1,64}').replace('{rest}', '[^{}]{1,500}')}$`);
}

const apiPath = /^\/v2(?:\/|$)/i;

/** Whether a path belongs to the API, in whichever case it is written. */
export const isApiPath = (path: string): boolean => apiPath.test(path);

/** Whether a request requires no credential. */
export function isPublic(route: RouteMatch): boolean {
  if (route.kind === 'found') return route.scope === null;
  return route.isPublic;
}

/** Whether a request counts in the rolling hour of its credential. */
export const isCounted = (route: RouteMatch | undefined): boolean =>
  route?.kind !== 'found' || route.isCounted;

/** The required scope; empty when authentication is enough. */
export function requiredScopeOf(route: RouteMatch | undefined): string {
  return (route?.kind === 'found' && route.scope) || '';
}

type Route = Endpoint & RouteFound;

function operationRoute(operation: Operation): Route {
  const { method, path, upstream, scope, definition, document } = operation;
  return {
    kind: 'found',
    routeKind: path.startsWith('/v2/oauth/') ? 'oauth' : 'api',
    method,
    name: path,
    upstream,
    isOwn: !document.isPlatform,
    scope,
    isCounted: definition['x-cost'] !== 0,
    prefix: document.isPlatform ? '/v2' : '',
    headers: deprecationHeaders(operation),
    websocket: definition['x-websocket'],
    validated: definition['x-validate'] ? operation : undefined,
  };
}

function pageRoutes({ path, upstream, methods }: Page): Route[] {
  const route = {
    kind: 'found',
    routeKind: 'page',
    name: path,
    upstream,
    isOwn: false,
    scope: null,
    isCounted: false,
    prefix: '',
    headers: undefined,
    websocket: false,
    validated: undefined,
  } as const;
  return methods.map((method) => ({ ...route, method }));
}

/** GET includes HEAD. */
function pathRoutes(path: string, given: readonly Route[]): PathRoutes {
  const routes = given.flatMap((route) =>
    route.method === 'GET' ? [route, { ...route, method: 'HEAD' }] : [route],
  );
  return {
    path,
    upstream: given[0]?.upstream ?? '',
    byMethod: new Map(routes.map((route) => [route.method, route])),
    otherMethods: {
      kind: 'method_not_allowed',
      method: '',
      name: path,
      allow: routes.map(({ method }) => method).join(', '),
      isPublic: routes.every(({ scope }) => scope === null),
    },
  };
}
