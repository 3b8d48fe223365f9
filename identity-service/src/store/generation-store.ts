import type { Database } from '@platform/service-kit/database.ts';
import type { Prisma } from '../generated/client.ts';
import type { GenerationStore } from '../generations/generation-store.ts';
import type { RaisedGeneration } from '../generations/propagate-all.ts';
import type { PrismaClient } from './prisma.ts';

interface GenerationRow {
  readonly business_id: bigint;
  readonly generation: bigint;
}

/** Raises a business's credential generation; a business without a row is at 1. Resolves to the new generation. */
export async function raiseGeneration(client: Prisma.TransactionClient, businessId: number): Promise<number> {
  const [row] = await client.$queryRaw<Pick<GenerationRow, 'generation'>[]>`
    INSERT INTO credential_generations AS stored (business_id, generation, propagated)
    VALUES (${BigInt(businessId)}, 2, 1)
    ON CONFLICT (business_id) DO UPDATE
    SET generation = stored.generation + 1, raised_at = clock_timestamp()
    RETURNING generation`;
  if (row === undefined) throw new Error('an upsert returned no row');
  return Number(row.generation);
}

/** Raises several, always in the same order, so that transactions that raise the same ones never wait in a circle. */
export async function raiseGenerations(
  client: Prisma.TransactionClient,
  businessIds: readonly number[],
): Promise<RaisedGeneration[]> {
  const raised: RaisedGeneration[] = [];
  for (const businessId of [...new Set(businessIds)].sort((a, b) => a - b)) {
    raised.push({ businessId, generation: await raiseGeneration(client, businessId) });
  }
  return raised;
}

/** Credential generations in PostgreSQL. */
export function createGenerationStore(database: Database, prisma: PrismaClient): GenerationStore {
  return {
    findPending: (limit) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<GenerationRow[]>`
          SELECT business_id, generation FROM credential_generations
          WHERE propagated < generation ORDER BY business_id LIMIT ${limit}`;
        return rows.map((row) => ({
          businessId: Number(row.business_id),
          generation: Number(row.generation),
        }));
      }),
    countPending: () =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<{ pending: bigint }[]>`
          SELECT count(*) AS pending FROM credential_generations WHERE propagated < generation`;
        return Number(row?.pending);
      }),
    markPropagated: ({ businessId, generation }) =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE credential_generations SET propagated = ${BigInt(generation)}
          WHERE business_id = ${BigInt(businessId)} AND propagated < ${BigInt(generation)}`;
      }),
    forgetPropagation: (withinMs) =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE credential_generations SET propagated = 0
          WHERE raised_at > clock_timestamp() - make_interval(secs => ${withinMs / 1000}::float8)`;
      }),
  };
}
