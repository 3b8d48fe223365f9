import type { Logger } from '@platform/service-kit/logger.ts';
import { createSealer } from '@platform/service-kit/sealer.ts';
import type { Router } from 'express';
import type { BusinessLookup } from './clients/business.ts';
import type { Config } from './config.ts';
import { createGrantStore } from './credentials/grants/store.ts';
import { createAuthorizationStore } from './oauth/authorization-store.ts';
import { authorizePages } from './oauth/authorize-endpoint.ts';
import { createClientStore } from './oauth/client-store.ts';
import { connectedPages } from './oauth/connected-page.ts';
import { tokenEndpoints } from './oauth/token-endpoint.ts';
import { createTokenStore } from './oauth/token-store.ts';
import type { Propagate } from './platform/credential-generations.ts';
import { createSecretHasher } from './platform/secrets.ts';
import type { Storage } from './platform/storage.ts';
import type { Throttle } from './platform/throttle.ts';
import type { OAuthFailures } from './traffic/oauth-failures.ts';

interface AuthorizationServerDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly throttle: Throttle;
  readonly failures: OAuthFailures;
  readonly logger: Logger;
}

/** The OAuth endpoints: those for programs, and the pages for people. */
interface AuthorizationServer {
  readonly endpoints: readonly Router[];
  readonly pages: readonly Router[];
}

/** The authorization server over the stores of the service. */
export function createAuthorizationServer(deps: AuthorizationServerDeps): AuthorizationServer {
  const { config, storage, propagate, throttle, failures, logger } = deps;
  const { database, prisma } = storage;
  const hasher = createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]);
  const sealer = createSealer(config.ENCRYPTION_KEYS);
  const lifetimes = {
    accessTokenSeconds: config.ACCESS_TOKEN_SECONDS,
    refreshTokenSeconds: config.REFRESH_TOKEN_SECONDS,
  };
  const programs = tokenEndpoints({
    clients: createClientStore(database, prisma),
    tokens: createTokenStore(database, prisma),
    hasher,
    lifetimes,
    propagate,
    throttle,
    failures,
    logger,
    issuer: config.PUBLIC_URL,
    documentation: config.DOCS_URL,
  });
  const store = createAuthorizationStore(database, prisma);
  const findBusiness = deps.businesses.find;
  const authorize = authorizePages({
    store,
    findBusiness,
    findLookalikes: deps.businesses.findLookalikes,
    hasher,
    sealer,
    throttle,
    failures,
    codeLifetimeSeconds: config.AUTHORIZATION_CODE_SECONDS,
    issuer: config.PUBLIC_URL,
  });
  const grants = createGrantStore(database, prisma);
  const connected = connectedPages({ store, grants, propagate, findBusiness });
  return { endpoints: [programs], pages: [authorize, connected] };
}
