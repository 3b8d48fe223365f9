import type { Application } from '../../applications/application.ts';
import {
  type BusinessProfile,
  type FindBusiness,
  whyUnverified,
} from '../../applications/business-profile.ts';
import { hasRoom } from '../../applications/connected-user-limit.ts';
import type { Scope } from '../../authorization/scope.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationStore } from './authorization-store.ts';

export interface DecideAuthorizationDeps {
  readonly store: AuthorizationStore;
  readonly findBusiness: FindBusiness;
}

export interface DecideAuthorizationInput {
  readonly application: Application;
  readonly request: AuthorizationRequest;
  readonly personId: string;
  readonly requestId: string;
}

/** A business that may be connected, and what it has approved so far. */
export interface Candidate {
  readonly business: BusinessProfile;
  readonly approved: readonly Scope[];
}

/** What becomes of a request of somebody who is logged in. */
export type Decision =
  /** Nobody can approve it; the reason is for the application's developer, too. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** Everything was approved before by the one business that there is. */
  | { readonly kind: 'covered'; readonly businessId: number }
  | { readonly kind: 'ask'; readonly candidates: readonly [Candidate, ...Candidate[]] };

/** Finds the businesses that a person may approve a request for (contract 5.1, 8). @throws AppError unavailable */
export async function decideAuthorization(
  { store, findBusiness }: DecideAuthorizationDeps,
  { application, request, personId, requestId }: DecideAuthorizationInput,
): Promise<Decision> {
  const owned = await store.ownedBusinesses(personId);
  if (owned.length === 0) return denied('this person is not the owner of a business');
  const found = await Promise.all(owned.map((id) => findBusiness(id, requestId)));
  const businesses = found.filter((business) => business !== undefined);
  const verified = businesses.filter((business) => whyUnverified(business) === undefined);
  if (verified.length === 0) {
    const [reason] = businesses.map(whyUnverified);
    return denied(reason ?? 'there is no such business');
  }
  const grants = await store.liveGrants(application.id, owned);
  const candidates = verified.flatMap((business): Candidate[] => {
    const grant = grants.find(({ businessId }) => businessId === business.id);
    return grant || hasRoom(application) ? [{ business, approved: grant?.scopes ?? [] }] : [];
  });
  const [only, ...others] = candidates;
  if (only === undefined) return denied(limitReached);
  if (others.length === 0 && covers(only.approved, request.scopes)) {
    return { kind: 'covered', businessId: only.business.id };
  }
  return { kind: 'ask', candidates: [only, ...others] };
}

/** Why nobody else can connect (contract 8). */
export const limitReached = 'the application has reached its number of connected users';

/** Whether everything that is asked for was approved before. */
export function covers(approved: readonly Scope[], requested: readonly Scope[]): boolean {
  return requested.every((scope) => approved.includes(scope));
}

function denied(reason: string): Decision {
  return { kind: 'denied', reason };
}
