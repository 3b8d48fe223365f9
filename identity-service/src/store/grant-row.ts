import { isScope } from '../authorization/scope.ts';
import { Prisma } from '../generated/client.ts';
import type { Grant } from '../grants/grant.ts';

/** What is read of `grants g JOIN applications a`. */
export const grantColumns = Prisma.sql`
  g.id, g.business_id, g.application_id, a.name AS application_name, a.business_id AS application_business_id,
  g.person_id, g.scopes, g.scopes_used, g.created_at, g.approved_at, g.last_used_at, g.last_used_ip`;

/** A row of `grantColumns`. */
export interface GrantRow {
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

export function toGrant(row: GrantRow): Grant {
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
