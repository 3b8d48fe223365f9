import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../audit/store.ts';
import type { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { raiseGeneration } from '../platform/credential-generations.ts';
import { type PrismaClient, transactionsOf } from '../platform/storage.ts';

/** A freeze: every API request of the business is refused until an owner or an operator lifts it. */
export interface Freeze {
  readonly businessId: number;
  /** Milliseconds since 1970. */
  readonly frozenAt: number;
  /** The owner who froze the business; empty when an operator did. */
  readonly personId: string;
  /** May be empty. */
  readonly reason: string;
}

const freezeRow = z.object({
  businessId: integer,
  frozenAt: timestamp,
  personId: z.string(),
  reason: z.string(),
}) satisfies z.ZodType<Freeze>;

export type FreezeStore = ReturnType<typeof createFreezeStore>;

/** Keeps freezes in PostgreSQL. */
export function createFreezeStore(database: Database, prisma: PrismaClient) {
  return {
    /** The freeze of a business; undefined when it has none. */
    find: (businessId: number): Promise<Freeze | undefined> =>
      database.run(async () => {
        const where = { businessId: BigInt(businessId) };
        const row = await prisma.businessFreeze.findUnique({ where });
        return row === null ? undefined : freezeRow.parse(row);
      }),
    /** Those of these businesses that are frozen. */
    frozenAmong: (businessIds: readonly number[]): Promise<ReadonlySet<number>> =>
      database.run(async () => {
        const frozen = await prisma.businessFreeze.findMany({
          where: { businessId: { in: businessIds.map(BigInt) } },
          select: { businessId: true },
        });
        return new Set(frozen.map(({ businessId }) => Number(businessId)));
      }),
    inTransaction: transactionsOf(database, prisma, createFreezeTransaction),
  };
}

function createFreezeTransaction(client: Prisma.TransactionClient) {
  return {
    /** Freezes a business. False when it is frozen already: then the first freeze stays as it is. */
    freeze: async (businessId: number, personId: string, reason: string): Promise<boolean> => {
      const { count } = await client.businessFreeze.createMany({
        data: { businessId: BigInt(businessId), personId, reason },
        skipDuplicates: true,
      });
      return count > 0;
    },
    /** Lifts the freeze and resolves to it; undefined when there is none. */
    lift: async (businessId: number): Promise<Freeze | undefined> => {
      const statement = client.$queryRaw`
        DELETE FROM business_freezes WHERE business_id = ${BigInt(businessId)}
        RETURNING business_id AS "businessId", frozen_at AS "frozenAt", person_id AS "personId", reason`;
      const [lifted] = await readRows(freezeRow, statement);
      return lifted;
    },
    /** Raises the business's credential generation. Resolves to the new one. */
    raiseGeneration: (businessId: number): Promise<number> => raiseGeneration(client, businessId),
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
  };
}
