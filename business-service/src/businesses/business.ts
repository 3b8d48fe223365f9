import type { Instant } from '../instant.ts';

export type VerificationStatus = 'unverified' | 'pending' | 'verified' | 'rejected';

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

/** What integrators see of a business (contract 2.1). */
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
}

/** Ids are 32-bit integers in the database. */
export const maxBusinessId = 2_147_483_647;
