import type { Logger } from '@platform/service-kit/logger.ts';
import type { Router } from 'express';
import type { Accounts } from './accounts.ts';
import type { BusinessLookup } from './business-lookup.ts';
import type { Config } from './config.ts';
import { createApplicationsOperations } from './dashboard-applications.ts';
import { createBusinessOperations } from './dashboard-business.ts';
import { createInsightOperations } from './dashboard-insights.ts';
import type { Propagate } from './generations/propagation.ts';
import { apiKeysOperations } from './http/dashboard/api-keys/api-keys-operations.ts';
import { dashboardApi } from './http/dashboard/dashboard-api.ts';
import { freezeOperations } from './http/dashboard/freeze/freeze-operations.ts';
import { sessionOperations } from './http/dashboard/session/session-operations.ts';
import type { Storage } from './storage.ts';
import { createApiKeyStore } from './store/api-key-store.ts';
import { createFreezeStore } from './store/freeze-store.ts';
import { createUsageReader } from './store/usage-reader.ts';

export interface DashboardDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly accounts: Accounts;
  readonly logger: Logger;
}

/** The API behind the dashboard, over everything that it works with. */
export function createDashboardApi(deps: DashboardDeps): Router {
  const { config, storage, propagate, businesses, accounts, logger } = deps;
  const { database, prisma } = storage;
  const { people, hasher } = accounts;
  const freezes = createFreezeStore(database, prisma);
  const usage = createUsageReader(database, prisma);
  return dashboardApi({
    people,
    publicUrl: config.PUBLIC_URL,
    logger,
    operations: [
      ...sessionOperations({ people, findBusiness: businesses.find, freezes }),
      ...apiKeysOperations({
        keys: createApiKeyStore(database, prisma),
        hasher,
        propagate,
        businessExists: businesses.exists,
        usage,
        now: Date.now,
      }),
      ...createApplicationsOperations({ ...deps, usage }),
      ...createInsightOperations({ ...deps, usage }),
      ...createBusinessOperations({ ...deps, usage }),
      ...freezeOperations({ freezes, propagate, people }),
    ],
  });
}
