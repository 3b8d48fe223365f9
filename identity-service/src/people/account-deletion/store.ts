import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma } from '../../generated/client.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { createPersonTransaction } from '../store.ts';
import { createTeamTransaction } from '../team/store.ts';

const activityRow = z.object({ keys: integer, apps: integer, connections: integer });

/** Counts what can act for a business: API keys that have not expired, its apps, and the apps that it connected. */
export type Activity = z.output<typeof activityRow>;

async function readActivity(client: Prisma.TransactionClient, businessId: number): Promise<Activity> {
  const id = BigInt(businessId);
  const statement = client.$queryRaw`
    SELECT (SELECT count(*) FROM api_keys
            WHERE business_id = ${id} AND (expires_at IS NULL OR clock_timestamp() < expires_at)) AS keys,
           (SELECT count(*) FROM applications WHERE business_id = ${id}) AS apps,
           (SELECT count(*) FROM grants WHERE business_id = ${id} AND ended_at IS NULL) AS connections`;
  const [activity] = await readRows(activityRow, statement);
  if (activity === undefined) throw new Error('a statement returned no row');
  return activity;
}

export type DeletionTransaction = ReturnType<typeof createDeletionTransaction>;

/** Changes that the deletion of an account makes in one transaction. */
function createDeletionTransaction(client: Prisma.TransactionClient) {
  return {
    person: createPersonTransaction(client),
    team: createTeamTransaction(client),
    /** Businesses of a person, in the order in which they are locked. */
    businessIds: async (personId: string): Promise<number[]> => {
      const select = { businessId: true } as const;
      const orderBy = { businessId: 'asc' } as const;
      const memberships = await client.membership.findMany({ where: { personId }, select, orderBy });
      return memberships.map(({ businessId }) => Number(businessId));
    },
    /** Locks the person against new references, such as memberships, until the transaction ends. */
    lockPerson: async (personId: string): Promise<void> => {
      await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR UPDATE`;
    },
    activity: (businessId: number): Promise<Activity> => readActivity(client, businessId),
    /** Deletes a person with everything that is theirs alone: sessions, links, second factor, memberships, notices. */
    deletePerson: async (personId: string): Promise<void> => {
      const { email } = await client.person.delete({ where: { id: personId }, select: { email: true } });
      await client.signUp.deleteMany({ where: { email } });
    },
  };
}

export type DeletionStore = ReturnType<typeof createDeletionStore>;

/** Deletes accounts in PostgreSQL. */
export function createDeletionStore(database: Database, prisma: PrismaClient) {
  return { inTransaction: transactionsOf(database, prisma, createDeletionTransaction) };
}
