import type { Database } from '@platform/service-kit/database/database.ts';
import type { PrismaClient } from '../generated/client.ts';
import { type Endpoint, noOwner } from './endpoint.ts';
import { endpointOfRow } from './store.ts';

export type RemovalStore = ReturnType<typeof createRemovalStore>;

/** Finds and deletes rows of deleted endpoints and applications in PostgreSQL. */
export function createRemovalStore(prisma: PrismaClient, database: Database) {
  return {
    /** Applications that have endpoints, after one of them. */
    applicationIds: (after: string, limit: number): Promise<string[]> =>
      database.run(async () => {
        const rows = await prisma.endpoint.findMany({
          where: { applicationId: { gt: after } },
          distinct: ['applicationId'],
          select: { applicationId: true },
          orderBy: { applicationId: 'asc' },
          take: limit,
        });
        return rows.map(({ applicationId }) => applicationId);
      }),
    ofApplications: (applicationIds: readonly string[]): Promise<Endpoint[]> =>
      database.run(async () => {
        if (applicationIds.length === 0) return [];
        const where = { applicationId: { in: [...applicationIds], not: '' } };
        return (await prisma.endpoint.findMany({ where })).map(endpointOfRow);
      }),
    /** Some endpoints that were deleted, and whose rows are still there. */
    list: (limit: number): Promise<string[]> =>
      database.run(async () => {
        const rows = await prisma.endpoint.findMany({ where: noOwner, select: { id: true }, take: limit });
        return rows.map(({ id }) => id);
      }),
    /** Deletes one batch of an endpoint's deliveries with their attempts; resolves to how many. */
    removeDeliveries: (endpointId: string, limit: number): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          DELETE FROM deliveries WHERE id IN (
            SELECT id FROM deliveries WHERE endpoint_id = ${endpointId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
      ),
    /** Deletes the row of a deleted endpoint; false while it has deliveries, which are deleted in batches. */
    remove: (id: string): Promise<boolean> =>
      database.run(async () => {
        const removed = await prisma.$executeRaw`
          DELETE FROM endpoints WHERE id = ${id} AND business_id = ${noOwner.businessId}
            AND NOT EXISTS (SELECT FROM deliveries WHERE endpoint_id = ${id})`;
        return removed > 0;
      }),
  };
}
