import type { Database } from '@platform/service-kit/database.ts';
import type { UsageReader } from '../usage/usage-reader.ts';
import { readApplicationHours } from './application-usage.ts';
import type { PrismaClient } from './prisma.ts';
import { readAddresses, readApplicationAddresses, readEndpoints } from './usage-places.ts';
import { readRecentCalls, readUsagePoints } from './usage-points.ts';
import { readRollingHours, readScopeUses } from './usage-state.ts';

/** Usage as it is kept in PostgreSQL. */
export function createUsageReader(database: Database, prisma: PrismaClient): UsageReader {
  return {
    perHour: (businessId, span, limitIds) =>
      database.run(() => readUsagePoints(prisma, businessId, span, limitIds)),
    recentCalls: (businessId, limitId) => database.run(() => readRecentCalls(prisma, businessId, limitId)),
    addresses: (businessId, limitIds, since) =>
      database.run(() => readAddresses(prisma, businessId, limitIds, since)),
    applicationPerHour: (businessId, applicationId, span) =>
      database.run(() => readApplicationHours(prisma, businessId, applicationId, span)),
    applicationAddresses: (businessId, applicationId, since) =>
      database.run(() => readApplicationAddresses(prisma, businessId, applicationId, since)),
    endpoints: (businessId, limitIds, since) =>
      database.run(() => readEndpoints(prisma, businessId, limitIds, since)),
    scopeUses: (businessId, limitIds) => database.run(() => readScopeUses(prisma, businessId, limitIds)),
    rollingHours: (businessId, limitIds) =>
      database.run(() => readRollingHours(prisma, businessId, limitIds)),
  };
}
