import type { PrismaClient } from '../generated/client.ts';
import { idempotencyHours } from '../orders/idempotency.ts';

/** Rows per statement: short locks, and room for others in between. */
const batchSize = 1_000;

/** Deletes one batch of keys past their time; replicas that do it at once share the work. Returns how many. */
export async function purgeIdempotencyKeys(prisma: PrismaClient): Promise<number> {
  return prisma.$executeRaw`
    DELETE FROM idempotency_keys WHERE (business_id, key) IN (
      SELECT business_id, key FROM idempotency_keys
      WHERE created_at <= now() - make_interval(hours => ${idempotencyHours}::int)
      LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`;
}
