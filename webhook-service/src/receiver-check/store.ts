import type { Database } from '@platform/service-kit/database/database.ts';
import type { PrismaClient } from '../generated/client.ts';

export type CheckStore = ReturnType<typeof createCheckStore>;

/** Keeps checks of one endpoint from running at the same time, on whichever replica. */
export function createCheckStore(prisma: PrismaClient, database: Database) {
  return {
    /** Claims an endpoint until `release`, or for `ms` milliseconds. False while it is claimed. */
    claim: (endpointId: string, ms: number): Promise<boolean> =>
      database.run(async () => {
        const claimed = await prisma.$executeRaw`
          UPDATE endpoints SET checking_until = clock_timestamp() + make_interval(secs => ${ms / 1_000}::float8)
          WHERE id = ${endpointId} AND (checking_until IS NULL OR checking_until < clock_timestamp())`;
        return claimed > 0;
      }),
    release: (endpointId: string): Promise<void> =>
      database.run(async () => {
        await prisma.endpoint.updateMany({ where: { id: endpointId }, data: { checkingUntil: null } });
      }),
  };
}
