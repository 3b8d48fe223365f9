import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import type { Router } from 'express';
import type { Acts } from './acts.ts';
import type { Config } from './config.ts';
import { authorizePages } from './oauth/authorize-endpoint.ts';
import { connectedPages } from './oauth/connected-page.ts';
import { tokenEndpoints } from './oauth/token-endpoint.ts';
import type { Throttle } from './platform/throttle.ts';
import type { OAuthCalls } from './traffic/oauth-calls.ts';

interface AuthorizationServerDeps extends Acts {
  readonly config: Config;
  readonly sealer: Sealer;
  readonly throttle: Throttle;
  readonly oauthLog: OAuthCalls;
}

/** The OAuth endpoints: those for programs, and the pages for people. */
interface OAuthRouters {
  readonly endpoints: readonly Router[];
  readonly pages: readonly Router[];
}

/** The authorization server over the stores of the service. */
export function createAuthorizationServer(deps: AuthorizationServerDeps): OAuthRouters {
  const { config, authorizations: store } = deps;
  const issuer = config.PUBLIC_URL;
  const lifetimes = {
    accessTokenSeconds: config.ACCESS_TOKEN_SECONDS,
    refreshTokenSeconds: config.REFRESH_TOKEN_SECONDS,
  };
  const server = { issuer, errorPage: new URL(config.DOCS_URL, issuer).href };
  const programs = tokenEndpoints({ ...deps, ...server, lifetimes });
  const { findLookalikes } = deps.businesses;
  const codeLifetimeSeconds = config.AUTHORIZATION_CODE_SECONDS;
  const authorize = authorizePages({ ...deps, store, findLookalikes, codeLifetimeSeconds, ...server });
  return { endpoints: [programs], pages: [authorize, connectedPages({ ...deps, store })] };
}
