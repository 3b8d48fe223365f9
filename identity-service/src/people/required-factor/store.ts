import type { Database } from '@platform/service-kit/database/database.ts';
import type { Prisma } from '../../generated/client.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { createPersonTransaction } from '../store.ts';
import { createTeamTransaction } from '../team/store.ts';

/** Makes a business require a second factor. False if it already does; the existing requirement is kept. */
export async function insertRequirement(
  client: Prisma.TransactionClient,
  businessId: number,
  personId: string,
): Promise<boolean> {
  const { count } = await client.secondFactorRequirement.createMany({
    data: { businessId: BigInt(businessId), personId },
    skipDuplicates: true,
  });
  return count > 0;
}

/** Changes that an operation on the requirement can make in one transaction. */
function createRequirementTransaction(client: Prisma.TransactionClient) {
  return {
    person: createPersonTransaction(client),
    team: createTeamTransaction(client),
    /** False when the business requires it already. */
    require: (businessId: number, personId: string): Promise<boolean> =>
      insertRequirement(client, businessId, personId),
    /** False when the business does not require it. */
    lift: async (businessId: number): Promise<boolean> => {
      const { count } = await client.secondFactorRequirement.deleteMany({
        where: { businessId: BigInt(businessId) },
      });
      return count > 0;
    },
  };
}

export type RequirementStore = ReturnType<typeof createRequirementStore>;

/** Keeps in PostgreSQL which businesses require a second factor of their people. */
export function createRequirementStore(database: Database, prisma: PrismaClient) {
  return {
    /** Since when a business requires it, in milliseconds since 1970; undefined when it does not. */
    requiredAt: (businessId: number): Promise<number | undefined> =>
      database.run(async () => {
        const where = { businessId: BigInt(businessId) };
        const row = await prisma.secondFactorRequirement.findUnique({ where });
        return row?.requiredAt.getTime();
      }),
    inTransaction: transactionsOf(database, prisma, createRequirementTransaction),
  };
}
