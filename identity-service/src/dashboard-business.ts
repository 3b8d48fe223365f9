import type { Accounts } from './accounts.ts';
import type { BusinessLookup } from './business-lookup.ts';
import { businessOperations } from './http/dashboard/business/business-operations.ts';
import type { Operation } from './http/dashboard/operation.ts';
import { profileOperations } from './http/dashboard/profile/profile-operations.ts';
import { invitationOperations } from './http/dashboard/team/invitation-operations.ts';
import { teamOperations } from './http/dashboard/team/team-operations.ts';
import type { Storage } from './storage.ts';
import { createTeamStore } from './store/team-store.ts';
import { createUsageReader } from './store/usage-reader.ts';

export interface DashboardBusinessDeps {
  readonly storage: Storage;
  readonly businesses: BusinessLookup;
  readonly accounts: Accounts;
}

/** The dashboard's part about a business, the people of its team, and their own accounts. */
export function createBusinessOperations(deps: DashboardBusinessDeps): readonly Operation[] {
  const { storage, businesses, accounts } = deps;
  const { database, prisma } = storage;
  const team = createTeamStore(database, prisma);
  const usage = createUsageReader(database, prisma);
  return [
    ...businessOperations({ ...accounts, findBusiness: businesses.find, usage }),
    ...teamOperations({ ...accounts, team }),
    ...invitationOperations({ ...accounts, team }),
    ...profileOperations(accounts),
  ];
}
