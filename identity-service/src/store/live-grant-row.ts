import { isScope } from '../authorization/scope.ts';
import type { LiveGrant } from '../oauth/authorization/authorization-store.ts';

/** A row of `grants`, as far as approving goes. */
export interface LiveGrantRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly scopes: readonly string[];
}

export function toLiveGrant(row: LiveGrantRow): LiveGrant {
  return { id: row.id, businessId: Number(row.business_id), scopes: row.scopes.filter(isScope) };
}
