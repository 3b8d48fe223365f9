import { type Route, type RouteKind, routes, type Upstream } from './routes.ts';

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
  readonly upstream: Upstream;
  /** Scope that the request needs; null when it needs no credential. */
  readonly scope: string | null;
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
export function requiredScopeOf(route: RouteMatch | undefined): string {
  return (route?.kind === 'found' && route.scope) || '';
}

function compile({ path, upstream, methods }: Route): CompiledRow {
  const prefix = path.startsWith('/v2/') ? '/v2' : '';
  const scopes = Object.entries(methods).flatMap(([method, scope]) =>
    method === 'GET' ? [['GET', scope] as const, ['HEAD', scope] as const] : [[method, scope] as const],
  );
  const found = ([method, scope]: readonly [string, string | null]): [string, RouteMatch] => [
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

function kindOf(path: string, upstream: Upstream): RouteKind {
  if (upstream === 'business') return 'api';
  return path.startsWith('/v2/oauth/') ? 'oauth' : 'page';
}

function patternOf(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.');
  return new RegExp(`^${escaped.replace('{id}', '[A-Za-z0-9_-]{1,64}').replace('{rest}', '[^{}]{1,500}')}$`);
}
