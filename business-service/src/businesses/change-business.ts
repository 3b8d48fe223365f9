import type { Instant } from '../instant.ts';
import type { Business, Verification, VerificationStatus } from './business.ts';

export type BusinessEventType =
  | 'business.created'
  | 'business.verification_submitted'
  | 'business.verified'
  | 'business.verification_rejected'
  | 'business.banned'
  | 'business.unbanned';

export type BusinessChange =
  | { readonly kind: 'changed'; readonly business: Business; readonly event: BusinessEventType }
  | { readonly kind: 'unchanged'; readonly business: Business }
  /** The verification stands where this step cannot be taken. */
  | { readonly kind: 'refused'; readonly status: VerificationStatus };

/** What a business becomes by one step, at a time. */
export type BusinessStep = (business: Business, now: Instant) => BusinessChange;

export type LegalFacts = Readonly<Record<'legalName' | 'registrationNumber' | 'country', string>>;

/** Hands in the legal facts, for the first time or again after a rejection. */
export function submitVerification(facts: LegalFacts): BusinessStep {
  return (business, now) =>
    verificationStep(business, ['unverified', 'rejected'], 'business.verification_submitted', {
      ...facts,
      status: 'pending',
      submittedAt: now,
      decidedAt: null,
      rejectionReason: null,
    });
}

export const approveVerification: BusinessStep = (business, now) =>
  verificationStep(business, ['pending'], 'business.verified', { status: 'verified', decidedAt: now });

/** Refuses what was handed in; the owner reads the reason. */
export function rejectVerification(rejectionReason: string): BusinessStep {
  return (business, now) =>
    verificationStep(business, ['pending'], 'business.verification_rejected', {
      status: 'rejected',
      decidedAt: now,
      rejectionReason,
    });
}

export const banBusiness: BusinessStep = (business) => setBanned(business, true);

export const unbanBusiness: BusinessStep = (business) => setBanned(business, false);

function verificationStep(
  business: Business,
  from: readonly VerificationStatus[],
  event: BusinessEventType,
  change: Partial<Verification>,
): BusinessChange {
  const { verification } = business;
  if (!from.includes(verification.status)) return { kind: 'refused', status: verification.status };
  return { kind: 'changed', event, business: { ...business, verification: { ...verification, ...change } } };
}

// Asked twice, the second time changes nothing: an operator may repeat a command.
function setBanned(business: Business, isBanned: boolean): BusinessChange {
  if (business.isBanned === isBanned) return { kind: 'unchanged', business };
  const event = isBanned ? 'business.banned' : 'business.unbanned';
  return { kind: 'changed', event, business: { ...business, isBanned } };
}
