import type { Database } from '@platform/service-kit/database.ts';
import { type Caller, type FindCallers, goneCaller } from '../usage/caller.ts';
import type { PrismaClient } from './prisma.ts';

/** Callers by the tables of API keys and Grants. */
export function createFindCallers(database: Database, prisma: PrismaClient): FindCallers {
  return async (businessId, limitIds) => {
    if (limitIds.length === 0) return [];
    const [business, ids] = [BigInt(businessId), [...limitIds]];
    const rows = await database.run(
      () => prisma.$queryRaw<Caller[]>`
        SELECT id AS "limitId", 'api_key' AS kind, id, name, true AS exists, true AS "isOwn" FROM api_keys
        WHERE business_id = ${business} AND id = ANY(${ids})
        UNION ALL
        SELECT g.id, 'application', a.id, a.name, g.ended_at IS NULL, a.business_id = g.business_id
        FROM grants g JOIN applications a ON a.id = g.application_id
        WHERE g.business_id = ${business} AND g.id = ANY(${ids})`,
    );
    const found = new Map(rows.map((row) => [row.limitId, row]));
    return limitIds.map((limitId) => found.get(limitId) ?? goneCaller(limitId));
  };
}
