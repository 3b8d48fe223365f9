/** The server of a page: identity-service, or the gateway itself with the documentation. */
type PageDestination = 'identity' | 'docs';

/** A page, or a form of one. The upstream authenticates: by a session, or a client secret. */
export interface Page {
  /** Public path; `{id}` is one segment, a final `{rest}` everything that follows. */
  readonly path: string;
  readonly upstream: PageDestination;
  /** GET includes HEAD. */
  readonly methods: readonly string[];
}

const page = ['GET'];

const form = ['GET', 'POST'];

const post = ['POST'];

const api = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Everything that the gateway serves outside of /v2. */
export const pages: readonly Page[] = [
  { path: '/.well-known/oauth-authorization-server', upstream: 'identity', methods: page },
  { path: '/.well-known/webhook-keys/{id}', upstream: 'identity', methods: page },
  { path: '/.well-known/promises-keys', upstream: 'identity', methods: page },
  { path: '/oauth/authorize', upstream: 'identity', methods: page },
  { path: '/oauth/consent', upstream: 'identity', methods: post },

  { path: '/signup', upstream: 'identity', methods: form },
  { path: '/signup/confirm', upstream: 'identity', methods: form },
  { path: '/login', upstream: 'identity', methods: form },
  { path: '/login/second-factor', upstream: 'identity', methods: form },
  { path: '/login/second-factor/passkey', upstream: 'identity', methods: post },
  { path: '/login/second-factor/passkey/options', upstream: 'identity', methods: post },
  { path: '/login/passkey', upstream: 'identity', methods: post },
  { path: '/login/passkey/options', upstream: 'identity', methods: post },
  { path: '/logout', upstream: 'identity', methods: post },
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
