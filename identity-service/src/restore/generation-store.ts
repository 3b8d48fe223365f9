import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { RaisedGeneration } from '../platform/credential-generations.ts';
import type { PrismaClient } from '../platform/storage.ts';

/** Far more than the number of changes of one business between a backup and its restore. */
const generationStep = 1_000_000n;

const batchSize = 1_000;

/** Credential generations as a restore raises them. */
export function generationsOf(database: Database, prisma: PrismaClient) {
  return {
    /** Raises the generation of one batch of businesses. Resolves to the last of them. */
    raiseGenerations: (after: number): Promise<number | undefined> =>
      database.run(() => raiseGenerations(prisma, after)),
    /** Raises generations above the given ones: gateways do not use authorizations of a lower generation than in Redis. */
    raiseAbove: (known: readonly RaisedGeneration[]): Promise<number> =>
      database.run(() => raiseAbove(prisma, known)),
    /** Number and sum of all generations. A restore raises all of them, so no earlier backup has the same value. */
    generationMark: (): Promise<string> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT count(*) || ' ' || coalesce(sum(generation), 0) AS mark FROM credential_generations`;
        const [row] = await readRows(z.object({ mark: z.string() }), statement);
        if (row === undefined) throw new Error('a statement returned no row');
        return row.mark;
      }),
  };
}

async function raiseGenerations(prisma: PrismaClient, after: number): Promise<number | undefined> {
  const last = BigInt(after);
  const statement = prisma.$queryRaw`
    WITH batch AS (
      SELECT business_id FROM (
        (SELECT business_id FROM credential_generations WHERE business_id > ${last} ORDER BY 1 LIMIT ${batchSize})
        UNION (SELECT DISTINCT business_id FROM api_keys WHERE business_id > ${last} ORDER BY 1 LIMIT ${batchSize})
        UNION (SELECT DISTINCT business_id FROM grants WHERE business_id > ${last} ORDER BY 1 LIMIT ${batchSize})
      ) known ORDER BY business_id LIMIT ${batchSize}
    ), raised AS (
      INSERT INTO credential_generations AS stored (business_id, generation, propagated)
      SELECT business_id, 1 + ${generationStep}::bigint, 0 FROM batch
      ON CONFLICT (business_id) DO UPDATE
      SET generation = stored.generation + ${generationStep}::bigint, propagated = 0, raised_at = clock_timestamp()
      RETURNING business_id
    )
    SELECT max(business_id) AS last FROM raised`;
  const [row] = await readRows(z.object({ last: nullable(integer) }), statement);
  return row?.last;
}

function raiseAbove(prisma: PrismaClient, known: readonly RaisedGeneration[]): Promise<number> {
  const ids = known.map(({ businessId }) => businessId);
  const generations = known.map(({ generation }) => generation);
  return prisma.$executeRaw`
    INSERT INTO credential_generations AS stored (business_id, generation, propagated)
    SELECT id, max(known) + ${generationStep}::bigint, 0
    FROM unnest(${ids}::bigint[], ${generations}::bigint[]) AS redis (id, known) GROUP BY id
    ON CONFLICT (business_id) DO UPDATE
    SET generation = excluded.generation, propagated = 0, raised_at = clock_timestamp()
    WHERE stored.generation + ${generationStep}::bigint <= excluded.generation`;
}
