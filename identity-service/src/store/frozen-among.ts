import type { Database } from '@platform/service-kit/database.ts';
import type { PrismaClient } from './prisma.ts';

/** Which of some businesses let no request in until somebody lifts the freeze. */
export function createFrozenAmong(database: Database, prisma: PrismaClient) {
  return (businessIds: readonly number[]): Promise<ReadonlySet<number>> =>
    database.run(async () => {
      const frozen = await prisma.businessFreeze.findMany({
        where: { businessId: { in: businessIds.map(BigInt) } },
        select: { businessId: true },
      });
      return new Set(frozen.map(({ businessId }) => Number(businessId)));
    });
}
