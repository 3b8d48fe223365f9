import { toAppError } from '@platform/service-kit/app-error.ts';
import type { FindBusiness } from '../../applications/business-profile.ts';
import type { PersonStore } from '../../people/person-store.ts';
import type { OwnBusiness } from './account-page.ts';

/** Businesses that one page shows. */
const maxShown = 50;

/** A person's businesses with what business-service says of them; without that where it does not answer. */
export async function ownBusinesses(
  people: Pick<PersonStore, 'memberships'>,
  findBusiness: FindBusiness,
  personId: string,
  requestId: string,
): Promise<OwnBusiness[]> {
  const memberships = await people.memberships(personId);
  return Promise.all(
    memberships.slice(0, maxShown).map(async (membership) => {
      const profile = await findBusiness(membership.businessId, requestId).catch(absentWhenUnavailable);
      return { ...membership, profile };
    }),
  );
}

function absentWhenUnavailable(error: unknown): undefined {
  if (toAppError(error).kind !== 'unavailable') throw error;
}
