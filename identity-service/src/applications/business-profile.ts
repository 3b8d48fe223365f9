import type { LegalFacts } from '../people/legal-facts.ts';

/** Where the verification of a business stands. */
export type VerificationState = 'unverified' | 'pending' | 'verified' | 'rejected';

/** What business-service says of a business. */
export interface BusinessProfile {
  readonly id: number;
  /** Display name. */
  readonly accountHolder: string;
  readonly username: string;
  readonly verification: VerificationState;
  /** Why verification was refused; empty otherwise. */
  readonly rejectionReason: string;
}

/** All that business-service says of a business. Times are milliseconds since 1970. */
export interface BusinessRecord extends BusinessProfile {
  /** Public unique identifier. */
  readonly uniqueId: string;
  /** URL of a picture; may be empty. */
  readonly logo: string;
  readonly isBanned: boolean;
  readonly createdAt: number;
  /** What was handed in for verification last. */
  readonly facts: LegalFacts | undefined;
  readonly submittedAt: number | undefined;
  readonly decidedAt: number | undefined;
}

/** Asks business-service. Undefined when there is no such business. @throws AppError unavailable without an answer */
export type FindBusiness = (businessId: number, requestId: string) => Promise<BusinessProfile | undefined>;

/** The same, with everything that there is to know. */
export type FindBusinessRecord = (
  businessId: number,
  requestId: string,
) => Promise<BusinessRecord | undefined>;

/** Why a business may neither register nor authorize applications (contract 5.1); undefined when it may. */
export function whyUnverified({ verification, rejectionReason }: BusinessProfile): string | undefined {
  switch (verification) {
    case 'verified':
      return undefined;
    case 'pending':
      return 'the verification of the business is not decided yet';
    case 'rejected':
      return `the verification of the business was rejected: ${rejectionReason}`;
    case 'unverified':
      return 'the business is not verified as a legal entity';
  }
}
