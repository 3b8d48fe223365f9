/** An upstream that the gateway forwards to. */
export type Upstream = 'business';

interface Route {
  /** Path without its version prefix; `{id}` stands for one segment. */
  readonly path: string;
  readonly upstream: Upstream;
  /** Scope that each method asks for. GET serves HEAD. */
  readonly scopes: Readonly<Record<string, string>>;
}

const prefix = '/v2';

/** Everything that the gateway forwards. What has no row here is 404, and only after authentication. */
const routes: readonly Route[] = [
  { path: '/businesses/me', upstream: 'business', scopes: { GET: 'business:read' } },
  { path: '/order', upstream: 'business', scopes: { GET: 'orders:read', POST: 'orders:write' } },
  { path: '/order/{id}', upstream: 'business', scopes: { GET: 'orders:read', PATCH: 'orders:write' } },
];

/** The row that a request falls on. */
export type RouteMatch =
  | {
      readonly kind: 'found';
      /** The row's path, for metrics. */
      readonly name: string;
      readonly upstream: Upstream;
      readonly scope: string;
      readonly prefix: string;
    }
  | { readonly kind: 'method_not_allowed'; readonly name: string; readonly allow: string }
  | { readonly kind: 'not_found'; readonly name: string };

interface CompiledRow {
  readonly pattern: RegExp;
  readonly byMethod: ReadonlyMap<string, RouteMatch>;
  readonly otherMethods: RouteMatch;
}

const rows: readonly CompiledRow[] = routes.map(compile);
const exactRows = new Map(routes.map((route, index) => [prefix + route.path, rows[index]]));
const notFound: RouteMatch = { kind: 'not_found', name: 'none' };

/** Finds the row for a method and a path that passed `ambiguityOf`; the comparison is exact. */
export function matchRoute(method: string, path: string): RouteMatch {
  const row = exactRows.get(path) ?? rows.find(({ pattern }) => pattern.test(path));
  if (row === undefined) return notFound;
  return row.byMethod.get(method) ?? row.otherMethods;
}

function compile({ path, upstream, scopes }: Route): CompiledRow {
  const name = prefix + path;
  const methods = Object.keys(scopes).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const byMethod = methods.map((method): [string, RouteMatch] => {
    const scope = scopes[method === 'HEAD' ? 'GET' : method] ?? '';
    return [method, { kind: 'found', name, upstream, scope, prefix }];
  });
  return {
    pattern: new RegExp(`^${name.replace('{id}', '[A-Za-z0-9_-]{1,64}')}$`),
    byMethod: new Map(byMethod),
    otherMethods: { kind: 'method_not_allowed', name, allow: methods.join(', ') },
  };
}
