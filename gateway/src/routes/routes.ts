/** Services that the gateway forwards to. */
export type Upstream = 'business' | 'identity';

/** What a route is for: it decides how its errors look, and shares the upstream with others of its kind. */
export type RouteKind = 'api' | 'oauth' | 'page';

/** A row of the route table. */
export interface Route {
  /** Path as callers write it; `{id}` stands for one segment, a final `{rest}` for all that follows. */
  readonly path: string;
  readonly upstream: Upstream;
  /**
   * Methods, each with the scope that it asks for; null where nobody needs a credential, since the upstream itself asks
   * for one (a session, a client secret). GET serves HEAD.
   */
  readonly methods: Readonly<Record<string, string | null>>;
}

const page = { GET: null };
const form = { GET: null, POST: null };
const api = { GET: null, POST: null, PUT: null, PATCH: null, DELETE: null };

/** Everything that the gateway forwards. What has no row here is 404, and only after authentication. */
export const routes: readonly Route[] = [
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
  { path: '/docs', upstream: 'identity', methods: page },
  { path: '/docs/{rest}', upstream: 'identity', methods: page },
];
