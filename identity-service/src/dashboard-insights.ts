import type { BusinessLookup } from './business-lookup.ts';
import { auditOperations } from './http/dashboard/audit/audit-operations.ts';
import type { Operation } from './http/dashboard/operation.ts';
import { overviewOperations } from './http/dashboard/overview/overview-operations.ts';
import { requestsOperations } from './http/dashboard/requests/requests-operations.ts';
import type { Storage } from './storage.ts';
import { createAuditReader } from './store/audit-reader.ts';
import { createFindCallers } from './store/find-callers.ts';
import { createOverviewReader } from './store/overview-reader.ts';
import { createRequestStore } from './store/request-store.ts';
import type { UsageReader } from './usage/usage-reader.ts';

export interface DashboardInsightsDeps {
  readonly storage: Storage;
  readonly businesses: Pick<BusinessLookup, 'find'>;
  readonly usage: UsageReader;
}

/** The dashboard's part that tells of a business and changes nothing: overview, requests, audit log. */
export function createInsightOperations(deps: DashboardInsightsDeps): readonly Operation[] {
  const { database, prisma } = deps.storage;
  const findCallers = createFindCallers(database, prisma);
  return [
    ...overviewOperations({
      overview: createOverviewReader(database, prisma),
      usage: deps.usage,
      findCallers,
      findBusiness: deps.businesses.find,
    }),
    ...requestsOperations({ requests: createRequestStore(database, prisma), findCallers }),
    ...auditOperations({ audit: createAuditReader(database, prisma), now: Date.now }),
  ];
}
