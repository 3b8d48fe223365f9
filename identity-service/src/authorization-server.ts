import type { Logger } from '@platform/service-kit/logger.ts';
import type { Router } from 'express';
import type { BusinessLookup } from './business-lookup.ts';
import type { Config } from './config.ts';
import type { Propagate } from './generations/propagation.ts';
import { authorizePages } from './http/oauth/authorize-pages.ts';
import { connectedPages } from './http/oauth/connected-pages.ts';
import { tokenEndpoints } from './http/oauth/token-endpoints.ts';
import { createArrivalClock } from './oauth/token/arrival-clock.ts';
import { createSealer } from './secrets/sealer.ts';
import { createSecretHasher } from './secrets/secret-hasher.ts';
import type { Storage } from './storage.ts';
import { createAuthorizationStore } from './store/authorization-store.ts';
import { createClientStore } from './store/client-store.ts';
import { createGrantStore } from './store/grant-store.ts';
import { createTokenStore } from './store/token-store.ts';
import type { Throttle } from './throttle/throttle.ts';

export interface AuthorizationServerDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly throttle: Throttle;
  readonly logger: Logger;
}

/** The OAuth endpoints: those for programs, and the pages for people. */
export interface AuthorizationServer {
  readonly endpoints: readonly Router[];
  readonly pages: readonly Router[];
}

export function createAuthorizationServer(deps: AuthorizationServerDeps): AuthorizationServer {
  const { config, storage, propagate, throttle, logger } = deps;
  const { database, prisma } = storage;
  const hasher = createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]);
  const sealer = createSealer(config.ENCRYPTION_KEYS);
  const clock = createArrivalClock();
  const lifetimes = {
    accessTokenSeconds: config.ACCESS_TOKEN_SECONDS,
    refreshTokenSeconds: config.REFRESH_TOKEN_SECONDS,
  };
  const programs = tokenEndpoints({
    clients: createClientStore(database, prisma, clock),
    tokens: createTokenStore(database, prisma),
    hasher,
    sealer,
    lifetimes,
    propagate,
    clock,
    throttle,
    logger,
    issuer: config.PUBLIC_URL,
    documentation: config.DOCS_URL,
  });
  const store = createAuthorizationStore(database, prisma);
  const findBusiness = deps.businesses.find;
  const authorize = authorizePages({
    store,
    findBusiness,
    hasher,
    sealer,
    throttle,
    codeLifetimeSeconds: config.AUTHORIZATION_CODE_SECONDS,
    issuer: config.PUBLIC_URL,
  });
  const grants = createGrantStore(database, prisma);
  const connected = connectedPages({ store, grants, propagate, findBusiness });
  return { endpoints: [programs], pages: [authorize, connected] };
}
