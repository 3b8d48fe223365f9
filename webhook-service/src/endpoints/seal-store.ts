import type { Database } from '@platform/service-kit/database/database.ts';
import type { PrismaClient } from '../generated/client.ts';
import type { Endpoint } from './endpoint.ts';

/** The sealed part of an endpoint. */
export type SealedSecrets = Pick<Endpoint, 'id' | 'sealedSecrets'>;

export type SealStore = ReturnType<typeof createSealStore>;

/** Reads and replaces encrypted secrets, which does not count as a change of the endpoint. */
export function createSealStore(prisma: PrismaClient, database: Database) {
  return {
    /** Those of the endpoints after one of them. */
    listAfter: (after: string, limit: number): Promise<SealedSecrets[]> =>
      database.run(() =>
        prisma.endpoint.findMany({
          where: { id: { gt: after } },
          select: { id: true, sealedSecrets: true },
          orderBy: { id: 'asc' },
          take: limit,
        }),
      ),
    /** False when they have changed since they were read. */
    replace: ({ id, sealedSecrets }: SealedSecrets, next: Uint8Array<ArrayBuffer>): Promise<boolean> =>
      database.run(async () => {
        const data = { sealedSecrets: next };
        const { count } = await prisma.endpoint.updateMany({ where: { id, sealedSecrets }, data });
        return count > 0;
      }),
  };
}
