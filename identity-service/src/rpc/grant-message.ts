import type { GrantMessage } from '@platform/protos/identity';
import type { Grant } from '../grants/grant.ts';

/** A Grant as identity.v1 sends it. */
export function toGrantMessage(grant: Grant): GrantMessage {
  return {
    id: grant.id,
    businessId: grant.businessId,
    applicationId: grant.applicationId,
    applicationName: grant.applicationName,
    applicationBusinessId: grant.applicationBusinessId,
    personId: grant.personId,
    scopes: [...grant.scopes],
    scopesUsed: [...grant.scopesUsed],
    createdAtUnixMs: grant.createdAt,
    approvedAtUnixMs: grant.approvedAt,
    lastUsedAtUnixMs: grant.lastUsedAt ?? 0,
    lastUsedIp: grant.lastUsedIp ?? '',
  };
}
