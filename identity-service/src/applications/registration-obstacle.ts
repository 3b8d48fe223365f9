import { maxApplications } from './application-limit.ts';
import { type BusinessProfile, whyUnverified } from './business-profile.ts';

/** What keeps a business from registering one more application. */
export interface RegistrationObstacle {
  readonly reason: 'business_not_verified' | 'application_limit_reached';
  readonly text: string;
}

/**
 * Undefined when nothing does, as far as is known.
 * @param business undefined when business-service does not say
 * @param existing applications that the business has
 */
export function findRegistrationObstacle(
  business: BusinessProfile | undefined,
  existing: number,
): RegistrationObstacle | undefined {
  const unverified = business && whyUnverified(business);
  if (unverified !== undefined) return { reason: 'business_not_verified', text: unverified };
  if (existing < maxApplications) return undefined;
  return {
    reason: 'application_limit_reached',
    text: `a business has at most ${maxApplications} applications`,
  };
}
