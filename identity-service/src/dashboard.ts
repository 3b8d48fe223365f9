import type { Logger } from '@platform/service-kit/logger.ts';
import type { Router } from 'express';
import type { BusinessLookup } from './business-lookup.ts';
import type { Config } from './config.ts';
import { dashboardApi } from './http/dashboard/dashboard-api.ts';
import { sessionOperations } from './http/dashboard/session/session-operations.ts';
import type { Storage } from './storage.ts';
import { createFrozenAmong } from './store/frozen-among.ts';
import { createPersonStore } from './store/person-store.ts';

export interface DashboardDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly businesses: BusinessLookup;
  readonly logger: Logger;
}

/** The API behind the dashboard, over everything that it works with. */
export function createDashboardApi({ config, storage, businesses, logger }: DashboardDeps): Router {
  const { database, prisma } = storage;
  const people = createPersonStore(database, prisma);
  return dashboardApi({
    people,
    publicUrl: config.PUBLIC_URL,
    logger,
    operations: [
      ...sessionOperations({
        people,
        findBusiness: businesses.find,
        frozenAmong: createFrozenAmong(database, prisma),
      }),
    ],
  });
}
