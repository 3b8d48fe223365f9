import type { Actor } from '../platform/actor.ts';
import type { SubmitVerification } from '../platform/businesses.ts';
import { type FieldErrors, hasErrors } from '../platform/text.ts';
import { checkLegalFacts, type LegalFacts } from './person.ts';
import type { PersonStore } from './store.ts';

export interface VerifyBusinessDeps {
  readonly people: PersonStore;
  readonly submitVerification: SubmitVerification;
}

export interface VerifyBusinessInput {
  readonly personId: string;
  readonly businessId: number;
  readonly typed: LegalFacts;
  readonly actor: Actor;
}

export type VerifyBusinessOutcome =
  | { readonly kind: 'submitted' | 'not_now' }
  /** The person does not own this business. */
  | { readonly kind: 'not_owner' }
  | { readonly kind: 'refused'; readonly faults: FieldErrors };

/** Hands in the legal facts of a business that the person owns. */
export async function verifyBusiness(
  { people, submitVerification }: VerifyBusinessDeps,
  { personId, businessId, typed, actor }: VerifyBusinessInput,
): Promise<VerifyBusinessOutcome> {
  const memberships = await people.memberships(personId);
  const isOwner = memberships.some(({ role, ...of }) => of.businessId === businessId && role === 'owner');
  if (!isOwner) return { kind: 'not_owner' };
  const { facts, faults } = checkLegalFacts(typed);
  if (hasErrors(faults)) return { kind: 'refused', faults };
  const outcome = await submitVerification(businessId, facts, actor.requestId);
  if (outcome === 'submitted') {
    const act = { actor, businessId, action: 'business.verification_submitted', details: { ...facts } };
    await people.inTransaction((transaction) => transaction.audit(personId, act));
  }
  return { kind: outcome };
}
