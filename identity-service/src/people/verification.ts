import type { LegalFacts, SubmitVerification } from '../clients/business.ts';
import type { Actor } from '../platform/actor.ts';
import { checkRequiredFactor } from '../platform/membership.ts';
import { type FieldErrors, hasErrors } from '../platform/text.ts';
import type { EmailContent } from '../web/mail.ts';
import { withoutLinks } from '../web/mail-message.ts';
import { validateLegalFacts } from './person.ts';
import type { PersonStore } from './store.ts';

/** Notifies operators of pending work by email, after the response. Does nothing without a configured address. */
export type NotifyOperators = (email: EmailContent) => void;

export interface VerifyBusinessDeps {
  readonly people: PersonStore;
  readonly submitVerification: SubmitVerification;
  readonly notifyOperators: NotifyOperators;
}

interface VerifyBusinessInput {
  readonly personId: string;
  readonly businessId: number;
  readonly submitted: LegalFacts;
  readonly actor: Actor;
}

type VerifyBusinessOutcome =
  | { readonly kind: 'submitted' | 'not_now' }
  /** The person does not own this business. */
  | { readonly kind: 'not_owner' }
  | { readonly kind: 'refused'; readonly errors: FieldErrors };

/**
 * Submits the legal facts of a business that the person owns. `not_now`: pending or verified already.
 * @throws AppError permission_denied without a second factor that the business requires
 */
export async function verifyBusiness(
  { people, submitVerification, notifyOperators }: VerifyBusinessDeps,
  { personId, businessId, submitted, actor }: VerifyBusinessInput,
): Promise<VerifyBusinessOutcome> {
  const memberships = await people.memberships(personId);
  const owned = memberships.find(
    (membership) => membership.businessId === businessId && membership.role === 'owner',
  );
  if (owned === undefined) return { kind: 'not_owner' };
  checkRequiredFactor(owned);
  const { facts, errors } = validateLegalFacts(submitted);
  if (hasErrors(errors)) return { kind: 'refused', errors };
  const outcome = await submitVerification(businessId, facts, actor);
  if (outcome === 'submitted') {
    const act = { actor, businessId, action: 'business.verification_submitted', details: { ...facts } };
    await people.inTransaction((transaction) => transaction.audit(personId, act));
    notifyOperators(submittedEmail(businessId, facts));
  }
  return { kind: outcome };
}

/** Notifies operators of a verification that waits. Texts of the owner hold no link. */
function submittedEmail(
  businessId: number,
  { legalName, registrationNumber, country }: LegalFacts,
): EmailContent {
  return {
    subject: `Business ${businessId} was submitted for verification`,
    text: `Business ${businessId} was submitted for verification.

Registered name: ${withoutLinks(legalName)}
Registration number: ${withoutLinks(registrationNumber)}
Country: ${country}

Compare them with the register:
npm run admin -- business get --business ${businessId}
`,
  };
}
