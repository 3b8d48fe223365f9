import type { BusinessMessage } from '@platform/protos/business';
import type { Business, Verification, VerificationStatus } from '../businesses/business.ts';
import type { Instant } from '../instant.ts';

/** A business as business.v1 sends it. */
export function businessMessage(business: Business): BusinessMessage {
  const { verification, createdAt, ...profile } = business;
  return {
    ...profile,
    verification: verificationMessage(verification),
    createdAtUnixMs: createdAt.getTime(),
  };
}

function verificationMessage(verification: Verification) {
  const { status, legalName, registrationNumber, country, rejectionReason } = verification;
  return {
    status: statusName[status],
    legalName: legalName ?? '',
    registrationNumber: registrationNumber ?? '',
    country: country ?? '',
    submittedAtUnixMs: unixMs(verification.submittedAt),
    decidedAtUnixMs: unixMs(verification.decidedAt),
    rejectionReason: rejectionReason ?? '',
  };
}

const statusName = {
  unverified: 'VERIFICATION_STATUS_UNVERIFIED',
  pending: 'VERIFICATION_STATUS_PENDING',
  verified: 'VERIFICATION_STATUS_VERIFIED',
  rejected: 'VERIFICATION_STATUS_REJECTED',
} as const satisfies Record<VerificationStatus, string>;

function unixMs(instant: Instant | null): number {
  return instant?.getTime() ?? 0;
}
