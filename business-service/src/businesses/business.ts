import { isLoopback } from '@platform/service-kit/values/addresses.ts';
import { isCountry, isRegistrationNumber } from '@platform/service-kit/values/legal-entity.ts';
import { nameField } from '@platform/service-kit/values/name.ts';
import { isReservedName, reservedName } from '@platform/service-kit/values/reserved-name.ts';
import { textField } from '@platform/service-kit/values/text.ts';
import { z } from 'zod';
import type { BusinessEventType } from '../events/event.ts';
import { daysAfter, type Instant } from '../values.ts';

export const verificationStatuses = ['unverified', 'pending', 'verified', 'rejected'] as const;

export type VerificationStatus = (typeof verificationStatuses)[number];

/** The legal entity behind a business. Facts are null before submission, dates before they happen. */
export interface Verification {
  readonly status: VerificationStatus;
  readonly legalName: string | null;
  readonly registrationNumber: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly submittedAt: Instant | null;
  readonly decidedAt: Instant | null;
  readonly rejectionReason: string | null;
}

/** A business in the public API (contract 2.1). */
export interface BusinessProfile {
  readonly id: number;
  readonly isBanned: boolean;
  readonly uniqueId: string;
  readonly accountHolder: string;
  /** URL; empty when there is none. */
  readonly logo: string;
  readonly username: string;
}

export interface Business extends BusinessProfile {
  readonly verification: Verification;
  readonly createdAt: Instant;
  /** When the username may be changed; null for a business that never changed it. */
  readonly usernameChangeableAt: Instant | null;
}

// Fields of rpc requests, as business.proto documents them.
const username = z
  .string()
  .regex(/^[a-z][a-z0-9-]{2,31}$/, 'must be 3 to 32 of a-z, 0-9 and hyphen, starting with a letter')
  .refine((name) => !isReservedName(name), reservedName);

const accountHolder = nameField(200).refine((name) => !isReservedName(name), reservedName);

const logo = z.union([
  z.literal(''),
  z
    .url({ protocol: /^https?$/, error: 'must be an https URL' })
    .max(2048, 'must have at most 2048 characters')
    .refine((url) => url.startsWith('https:') || isLoopback(url), 'must be an https URL'),
]);

const country = z.string().refine(isCountry, 'must be an ISO 3166-1 alpha-2 code');

const creationKey = z.union([z.literal('').transform(() => null), textField(100)]);

export const businessDraft = z.object({ accountHolder, username, logo, creationKey, isSandbox: z.boolean() });

export const recordFields = z.object({ accountHolder, username, logo });

/** Changes of the record; absent fields stay. */
export type RecordChanges = Partial<z.output<typeof recordFields>>;

export const legalFacts = z.object({
  legalName: nameField(200),
  registrationNumber: z.string().refine(isRegistrationNumber, 'must be a number in a register, with a digit'),
  country,
});

export const rejectionReason = textField(500);

export type BusinessChange =
  | { readonly kind: 'changed'; readonly business: Business; readonly event: BusinessEventType }
  | { readonly kind: 'unchanged'; readonly business: Business }
  /** Not allowed at this status of the verification. */
  | { readonly kind: 'refused'; readonly status: VerificationStatus }
  /** The decision is about an earlier submission. */
  | { readonly kind: 'resubmitted' }
  /** Not allowed while the business is banned. */
  | { readonly kind: 'banned' }
  /** The username was changed less than 30 days ago. */
  | { readonly kind: 'username_locked'; readonly until: Instant };

/** A change of a business, as a rule. */
export type BusinessStep = (business: Business, now: Instant) => BusinessChange;

type LegalFacts = Readonly<Record<'legalName' | 'registrationNumber' | 'country', string>>;

/** Submits the legal facts, for the first time or after a rejection. */
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

/** @param submittedAt milliseconds since 1970 of the submission that was read; undefined for any */
export function approveVerification(submittedAt: number | undefined): BusinessStep {
  return ofSubmission(submittedAt, (business, now) =>
    verificationStep(business, ['pending'], 'business.verified', { status: 'verified', decidedAt: now }),
  );
}

/** Rejects a submission; the owner reads the reason. @param submittedAt as for an approval */
export function rejectVerification(rejectionReason: string, submittedAt: number | undefined): BusinessStep {
  return ofSubmission(submittedAt, (business, now) =>
    verificationStep(business, ['pending'], 'business.verification_rejected', {
      status: 'rejected',
      decidedAt: now,
      rejectionReason,
    }),
  );
}

/** Applies the step only if the pending submission is the given one. */
function ofSubmission(submittedAt: number | undefined, step: BusinessStep): BusinessStep {
  return (business, now) => {
    const { status, submittedAt: pendingSince } = business.verification;
    const isAnother = submittedAt !== undefined && pendingSince?.getTime() !== submittedAt;
    return status === 'pending' && isAnother ? { kind: 'resubmitted' } : step(business, now);
  };
}

/** Days between two changes of a username. */
const usernameLockDays = 30;

/** Whether the changes only remove the logo, which operators may do for a banned business. */
const takesLogoAway = ({ logo, ...others }: RecordChanges): boolean =>
  logo === '' && Object.keys(others).length === 0;

/** Changes display name, username or logo. For a banned business, the only permitted change is removing its logo. */
export function updateRecord(changes: RecordChanges): BusinessStep {
  return (business, now) => {
    if (business.isBanned && !takesLogoAway(changes)) return { kind: 'banned' };
    const changed = { ...business, ...changes };
    if (changed.username !== business.username) {
      const { usernameChangeableAt: until } = business;
      if (until !== null && now < until) return { kind: 'username_locked', until };
      return recordUpdated({ ...changed, usernameChangeableAt: daysAfter(now, usernameLockDays) });
    }
    const isSame = changed.accountHolder === business.accountHolder && changed.logo === business.logo;
    return isSame ? { kind: 'unchanged', business } : recordUpdated(changed);
  };
}

function recordUpdated(business: Business): BusinessChange {
  return { kind: 'changed', event: 'business.updated', business };
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

// Idempotent: an operator may repeat a command.
function setBanned(business: Business, isBanned: boolean): BusinessChange {
  if (business.isBanned === isBanned) return { kind: 'unchanged', business };
  const event = isBanned ? 'business.banned' : 'business.unbanned';
  return { kind: 'changed', event, business: { ...business, isBanned } };
}
