import type { Accounts } from './accounts.ts';
import type { BusinessLookup } from './business-lookup.ts';
import { businessOperations } from './http/dashboard/business/business-operations.ts';
import type { Operation } from './http/dashboard/operation.ts';
import { profileOperations } from './http/dashboard/profile/profile-operations.ts';
import { invitationOperations } from './http/dashboard/team/invitation-operations.ts';
import { teamOperations } from './http/dashboard/team/team-operations.ts';
import type { UsageReader } from './usage/usage-reader.ts';

export interface DashboardBusinessDeps {
  readonly businesses: BusinessLookup;
  readonly accounts: Accounts;
  readonly usage: UsageReader;
}

/** The dashboard's part about a business, the people of its team, and their own accounts. */
export function createBusinessOperations(deps: DashboardBusinessDeps): readonly Operation[] {
  const { businesses, accounts, usage } = deps;
  return [
    ...businessOperations({ ...accounts, findBusiness: businesses.find, usage }),
    ...teamOperations(accounts),
    ...invitationOperations(accounts),
    ...profileOperations(accounts),
  ];
}
