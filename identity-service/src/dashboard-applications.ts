import type { Accounts } from './accounts.ts';
import type { BusinessLookup } from './business-lookup.ts';
import type { Propagate } from './generations/propagation.ts';
import { applicationUseOperations } from './http/dashboard/applications/application-use-operations.ts';
import { applicationsOperations } from './http/dashboard/applications/applications-operations.ts';
import { connectedOperations } from './http/dashboard/connected/connected-operations.ts';
import type { Operation } from './http/dashboard/operation.ts';
import type { Storage } from './storage.ts';
import { createApplicationStore } from './store/application-store.ts';
import { createConnectionReader } from './store/connection-reader.ts';
import { createGrantStore } from './store/grant-store.ts';
import type { UsageReader } from './usage/usage-reader.ts';

export interface DashboardApplicationsDeps {
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly accounts: Pick<Accounts, 'hasher'>;
  readonly usage: UsageReader;
}

/** The dashboard's part about applications, from both ends: the business that made one, and those that connected it. */
export function createApplicationsOperations(deps: DashboardApplicationsDeps): readonly Operation[] {
  const { propagate, businesses, accounts, usage } = deps;
  const { database, prisma } = deps.storage;
  const applications = createApplicationStore(database, prisma);
  const connections = createConnectionReader(database, prisma);
  const findBusiness = businesses.find;
  return [
    ...applicationsOperations({ applications, hasher: accounts.hasher, propagate, findBusiness }),
    ...applicationUseOperations({ applications, connections, usage, findBusiness, now: Date.now }),
    ...connectedOperations({
      connections,
      usage,
      findBusiness,
      grants: createGrantStore(database, prisma),
      propagate,
    }),
  ];
}
