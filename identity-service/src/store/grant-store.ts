import type { Database } from '@platform/service-kit/database.ts';
import { isScope } from '../authorization/scope.ts';
import type { Grant } from '../grants/grant.ts';
import type { GrantStore } from '../grants/grant-store.ts';
import { createGrantTransaction } from './grant-transaction.ts';
import type { PrismaClient } from './prisma.ts';

interface GrantRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly application_id: string;
  readonly application_name: string;
  readonly application_business_id: bigint;
  readonly person_id: string;
  readonly scopes: readonly string[];
  readonly scopes_used: readonly string[];
  readonly created_at: Date;
  readonly approved_at: Date;
  readonly last_used_at: Date | null;
  readonly last_used_ip: string | null;
}

/** Grants in PostgreSQL. */
export function createGrantStore(database: Database, prisma: PrismaClient): GrantStore {
  return {
    list: (businessId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<GrantRow[]>`
          SELECT g.id, g.business_id, g.application_id, a.name AS application_name,
                 a.business_id AS application_business_id, g.person_id, g.scopes, g.scopes_used, g.created_at,
                 g.approved_at, g.last_used_at, g.last_used_ip
          FROM grants g JOIN applications a ON a.id = g.application_id
          WHERE g.business_id = ${BigInt(businessId)} AND g.ended_at IS NULL
          ORDER BY g.created_at DESC, g.id`;
        return rows.map(toGrant);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createGrantTransaction(client)))),
  };
}

function toGrant(row: GrantRow): Grant {
  return {
    id: row.id,
    businessId: Number(row.business_id),
    applicationId: row.application_id,
    applicationName: row.application_name,
    applicationBusinessId: Number(row.application_business_id),
    personId: row.person_id,
    scopes: row.scopes.filter(isScope),
    scopesUsed: row.scopes_used.filter(isScope),
    createdAt: row.created_at.getTime(),
    approvedAt: row.approved_at.getTime(),
    lastUsedAt: row.last_used_at?.getTime(),
    lastUsedIp: row.last_used_ip ?? undefined,
  };
}
