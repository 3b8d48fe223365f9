import type { FindBusiness } from '../../applications/business-profile.ts';
import { findBusinesses } from '../../applications/find-businesses.ts';
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
  const memberships = (await people.memberships(personId)).slice(0, maxShown);
  const ids = memberships.map(({ businessId }) => businessId);
  const profiles = await findBusinesses(findBusiness, ids, requestId);
  return memberships.map((membership) => ({ ...membership, profile: profiles.get(membership.businessId) }));
}
