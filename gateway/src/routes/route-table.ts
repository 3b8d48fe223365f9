import { type Route, routes, type Upstream } from './routes.ts';

/** The row that a request falls on. */
export type RouteMatch =
  | {
      readonly kind: 'found';
      /** The row's path, for metrics. */
      readonly name: string;
      readonly upstream: Upstream;
      /** Scope that the request needs; null when it needs no credential. */
      readonly scope: string | null;
      /** Version prefix, which the upstream does not see. */
      readonly prefix: string;
    }
  | {
      readonly kind: 'method_not_allowed';
      readonly name: string;
      readonly allow: string;
      /** Whether nothing here needs a credential, so that strangers may be told. */
      readonly isPublic: boolean;
    }
  | { readonly kind: 'not_found'; readonly name: string };

interface CompiledRow {
  readonly path: string;
  readonly pattern: RegExp;
  readonly byMethod: ReadonlyMap<string, RouteMatch>;
  readonly otherMethods: RouteMatch;
}

const rows: readonly CompiledRow[] = routes.map(compile);
const exactRows = new Map(rows.map((row) => [row.path, row]));
const patternRows = rows.filter(({ path }) => path.includes('{'));
const notFound: RouteMatch = { kind: 'not_found', name: 'none' };

/** Finds the row for a method and a path that passed `ambiguityOf`; the comparison is exact. */
export function matchRoute(method: string, path: string): RouteMatch {
  const row = exactRows.get(path) ?? patternRows.find(({ pattern }) => pattern.test(path));
  if (row === undefined) return notFound;
  return row.byMethod.get(method) ?? row.otherMethods;
}

function compile({ path, upstream, methods }: Route): CompiledRow {
  const prefix = path.startsWith('/v2/') ? '/v2' : '';
  const scopes = Object.entries(methods).flatMap(([method, scope]) =>
    method === 'GET' ? [['GET', scope] as const, ['HEAD', scope] as const] : [[method, scope] as const],
  );
  const found = ([method, scope]: readonly [string, string | null]): [string, RouteMatch] => [
    method,
    { kind: 'found', name: path, upstream, scope, prefix },
  ];
  return {
    path,
    pattern: patternOf(path),
    byMethod: new Map(scopes.map(found)),
    otherMethods: {
      kind: 'method_not_allowed',
      name: path,
      allow: scopes.map(([method]) => method).join(', '),
      isPublic: scopes.every(([, scope]) => scope === null),
    },
  };
}

function patternOf(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.');
  return new RegExp(`^${escaped.replace('{id}', '[A-Za-z0-9_-]{1,64}').replace('{rest}', '[^{}]{1,500}')}$`);
}
