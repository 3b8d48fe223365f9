import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { Express } from 'express';
import { createAccounts } from './accounts.ts';
import { createAuthorizationServer } from './authorization-server.ts';
import type { Background } from './background.ts';
import type { BusinessLookup } from './business-lookup.ts';
import type { Config } from './config.ts';
import { createDashboardApi } from './dashboard.ts';
import type { Propagate } from './generations/propagation.ts';
import { createApp } from './http/app.ts';
import { readDashboard } from './http/dashboard-app/built-dashboard.ts';
import { dashboardAssets } from './http/dashboard-app/dashboard-assets.ts';
import { dashboardPages } from './http/dashboard-app/dashboard-pages.ts';
import { docsRoutes } from './http/docs/docs-routes.ts';
import { peopleRoutes } from './http/people/people-routes.ts';
import { createSessions } from './http/session.ts';
import type { Storage } from './storage.ts';
import { createSessionStore } from './store/session-store.ts';
import { createThrottle } from './store/throttle-store.ts';

export interface WebDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly background: Background;
}

/** Everything that identity-service serves over HTTP. */
export function createWeb(deps: WebDeps): Express {
  const { config, storage, registry, logger } = deps;
  const { database, prisma } = storage;
  const sessionStore = createSessionStore(database, prisma, {
    idleSeconds: config.SESSION_IDLE_SECONDS,
    totalSeconds: config.SESSION_SECONDS,
  });
  const sessions = createSessions({
    store: sessionStore,
    secrets: config.SESSION_SECRETS,
    publicUrl: config.PUBLIC_URL,
  });
  const throttle = createThrottle(database, prisma, config.THROTTLE_SCALE);
  const accounts = createAccounts({ ...deps, throttle, sessions, sessionStore });
  const authorizationServer = createAuthorizationServer({ ...deps, throttle });
  const dashboard = readDashboard(config.DASHBOARD_DIR);
  return createApp({
    gatewaySecret: config.GATEWAY_SECRET,
    publicUrl: config.PUBLIC_URL,
    logger,
    registry,
    sessions,
    endpoints: [
      ...(dashboard ? [dashboardAssets(dashboard)] : []),
      ...authorizationServer.endpoints,
      docsRoutes(config.PUBLIC_URL),
    ],
    dashboardApi: createDashboardApi({ ...deps, accounts }),
    pages: [...peopleRoutes(accounts), ...authorizationServer.pages, dashboardPages(dashboard)],
  });
}
