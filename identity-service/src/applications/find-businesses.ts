import { toAppError } from '@platform/service-kit/app-error.ts';
import type { BusinessProfile, FindBusiness } from './business-profile.ts';

/** What business-service says of some businesses, by id. Those that are gone are left out; all are while it does not answer. */
export async function findBusinesses(
  find: FindBusiness,
  businessIds: readonly number[],
  requestId: string,
): Promise<ReadonlyMap<number, BusinessProfile>> {
  const profiles = await Promise.all(
    [...new Set(businessIds)].map((id) => find(id, requestId).catch(absentWhenUnavailable)),
  );
  const known = profiles.filter((profile) => profile !== undefined);
  return new Map(known.map((profile) => [profile.id, profile]));
}

function absentWhenUnavailable(error: unknown): undefined {
  if (toAppError(error).kind !== 'unavailable') throw error;
}
