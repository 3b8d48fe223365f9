import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { PrismaClient } from './storage.ts';

/** The current act of a person, and whether gateways have confirmed it. */
interface Act {
  /** Of the last confirmation, in milliseconds of performance.now(); undefined for an act that published nothing. */
  publishedAt: number | undefined;
  isConfirmed: boolean;
}

const acts = new AsyncLocalStorage<Act>();

/** Notes for the current act of a person, if there is one, that gateways have confirmed a change, or not in time. */
export function notePropagation(isConfirmed: boolean): void {
  const act = acts.getStore();
  if (act === undefined) return;
  act.publishedAt = performance.now();
  act.isConfirmed &&= isConfirmed;
}

/** How fast gateways confirmed what an act of a person ended. */
export interface RevocationTime {
  /** From the start of the act to the last confirmation; undefined where they did not confirm in time. */
  readonly ms: number | undefined;
}

/**
 * Runs an act of a person, and times its revocation.
 * @param startedAt milliseconds of performance.now()
 * @param note called at the end of an act that published a change, also of one that failed after that
 */
export async function timeRevocation<T>(
  startedAt: number,
  work: () => Promise<T>,
  note: (time: RevocationTime) => void,
): Promise<T> {
  const act: Act = { publishedAt: undefined, isConfirmed: true };
  try {
    return await acts.run(act, work);
  } finally {
    const { publishedAt, isConfirmed } = act;
    if (publishedAt !== undefined) note({ ms: isConfirmed ? Math.ceil(publishedAt - startedAt) : undefined });
  }
}

/** Revocations of a business in the last 30 days. */
export interface RevocationSummary {
  readonly revocations: number;
  /** Those that gateways did not confirm in time. */
  readonly pending: number;
  /** Milliseconds of the slowest that was confirmed; undefined without one. */
  readonly slowestMs: number | undefined;
}

const summaryRow = z.object({ revocations: integer, pending: integer, slowestMs: nullable(z.int()) });

export type RevocationTimeStore = ReturnType<typeof createRevocationTimeStore>;

/** Keeps how fast revocations were, by business and day (UTC). */
export function createRevocationTimeStore(database: Database, prisma: PrismaClient) {
  return {
    add: (businessId: number, { ms }: RevocationTime): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          INSERT INTO revocation_days AS stored (business_id, day, revocations, pending, slowest_ms)
          VALUES (${businessId}::bigint, (now() AT TIME ZONE 'UTC')::date, 1, ${ms === undefined ? 1 : 0}::int,
                  ${ms ?? null}::int)
          ON CONFLICT (business_id, day) DO UPDATE
          SET revocations = stored.revocations + 1, pending = stored.pending + excluded.pending,
              slowest_ms = greatest(stored.slowest_ms, excluded.slowest_ms)`;
      }),
    /** Of the last 30 days, today included. */
    summary: async (businessId: number): Promise<RevocationSummary> => {
      const [row] = await database.run(() =>
        readRows(
          summaryRow,
          prisma.$queryRaw`
            SELECT coalesce(sum(revocations), 0)::bigint AS revocations, coalesce(sum(pending), 0)::bigint AS pending,
                   max(slowest_ms) AS "slowestMs"
            FROM revocation_days
            WHERE business_id = ${businessId}::bigint AND day > (now() AT TIME ZONE 'UTC')::date - 30`,
        ),
      );
      return row ?? { revocations: 0, pending: 0, slowestMs: undefined };
    },
  };
}
