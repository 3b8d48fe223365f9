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

/** Asks business-service. Undefined when there is no such business. @throws AppError unavailable without an answer */
export type FindBusiness = (businessId: number, requestId: string) => Promise<BusinessProfile | undefined>;

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
