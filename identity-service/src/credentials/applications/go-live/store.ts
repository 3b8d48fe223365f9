import type { Database } from '@platform/service-kit/database/database.ts';
import type { PrismaClient } from '../../../platform/storage.ts';

export type GoLiveStore = ReturnType<typeof createGoLiveStore>;

/** Reads what connections of an application have done, beside the log of requests. */
export function createGoLiveStore(database: Database, prisma: PrismaClient) {
  return {
    /** Whether a connection has refreshed its token. One that has ended counts for another hour. */
    hasRefreshed: async (applicationId: string): Promise<boolean> => {
      const where = { usedAt: { not: null }, grant: { applicationId } };
      return (await database.run(() => prisma.refreshToken.findFirst({ where }))) !== null;
    },
  };
}
