import { auditOperations } from './http/dashboard/audit/audit-operations.ts';
import type { Operation } from './http/dashboard/operation.ts';
import type { Storage } from './storage.ts';
import { createAuditReader } from './store/audit-reader.ts';

export interface InsightDeps {
  readonly storage: Storage;
}

/** What the dashboard tells of a business and changes nothing: overview, requests, audit log. */
export function createInsightOperations({ storage: { database, prisma } }: InsightDeps): Operation[] {
  return [...auditOperations({ audit: createAuditReader(database, prisma), now: Date.now })];
}
