import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from './prisma.ts';

/** Deletes what is over of usage and of recorded requests, at most `limit` rows per statement. */
export function usagePurges(
  prisma: PrismaClient,
  limit: number,
): Readonly<Record<string, () => Prisma.PrismaPromise<number>>> {
  return {
    usage_batches: () => prisma.$executeRaw`
      DELETE FROM usage_batches WHERE batch_id IN (
        SELECT batch_id FROM usage_batches WHERE received_at < now() - interval '1 hour'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_counts: () => prisma.$executeRaw`
      DELETE FROM usage_counts WHERE (credential_id, minute) IN (
        SELECT credential_id, minute FROM usage_counts WHERE minute < now() - interval '90 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_hours: () => prisma.$executeRaw`
      DELETE FROM usage_hours WHERE (business_id, hour, limit_id) IN (
        SELECT business_id, hour, limit_id FROM usage_hours WHERE hour < now() - interval '91 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_addresses: () => prisma.$executeRaw`
      DELETE FROM usage_addresses WHERE (limit_id, hour, address) IN (
        SELECT limit_id, hour, address FROM usage_addresses WHERE hour < now() - interval '30 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    usage_endpoints: () => prisma.$executeRaw`
      DELETE FROM usage_endpoints WHERE (limit_id, hour, method, route) IN (
        SELECT limit_id, hour, method, route FROM usage_endpoints WHERE hour < now() - interval '30 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    limit_observations: () => prisma.$executeRaw`
      DELETE FROM limit_observations WHERE limit_id IN (
        SELECT limit_id FROM limit_observations WHERE observed_at < now() - interval '2 hours'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    // Kept as long as the API key or the Grant: when a scope was used last is asked however long ago it was.
    scope_uses: () => prisma.$executeRaw`
      DELETE FROM scope_uses WHERE (limit_id, scope) IN (
        SELECT u.limit_id, u.scope FROM scope_uses u
        WHERE NOT EXISTS (SELECT 1 FROM api_keys k WHERE k.id = u.limit_id)
          AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.id = u.limit_id)
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    request_records: () => prisma.$executeRaw`
      DELETE FROM request_records WHERE id IN (
        SELECT id FROM request_records WHERE received_at < now() - interval '7 days'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    request_records_of_nobody: () => prisma.$executeRaw`
      DELETE FROM request_records WHERE id IN (
        SELECT id FROM request_records WHERE business_id IS NULL AND at < now() - interval '1 day'
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  };
}
