import type { BusinessMessage } from '@platform/protos/business';
import { formatRecord, formatTime } from './output.ts';

/** Business for `--json`. */
export function businessJson(business: BusinessMessage) {
  return {
    id: business.id,
    uniqueId: business.uniqueId,
    accountHolder: business.accountHolder,
    username: business.username,
    logo: business.logo || null,
    isBanned: business.isBanned,
    createdAt: formatTime(business.createdAtUnixMs),
    verification: {
      status: verificationStatus(business),
      legalName: business.verification?.legalName || null,
      registrationNumber: business.verification?.registrationNumber || null,
      country: business.verification?.country || null,
      submittedAt: formatTime(business.verification?.submittedAtUnixMs ?? 0),
      decidedAt: formatTime(business.verification?.decidedAtUnixMs ?? 0),
      rejectionReason: business.verification?.rejectionReason || null,
    },
  };
}

/** Business as text. */
export function businessRecord(business: BusinessMessage): string {
  const { verification, ...fields } = businessJson(business);
  return formatRecord({
    id: String(fields.id),
    'unique id': fields.uniqueId,
    'account holder': fields.accountHolder,
    username: fields.username,
    logo: fields.logo ?? '',
    banned: fields.isBanned ? 'yes' : 'no',
    verification: verification.status,
    'legal name': verification.legalName ?? '',
    'registration number': verification.registrationNumber ?? '',
    country: verification.country ?? '',
    ...(verification.rejectionReason !== null && { 'rejected because': verification.rejectionReason }),
    created: fields.createdAt ?? '',
  });
}

/** State of its verification, in lower case. */
export function verificationStatus({ verification }: BusinessMessage): string {
  const status = verification?.status ?? 'VERIFICATION_STATUS_UNVERIFIED';
  return status.replace('VERIFICATION_STATUS_', '').toLowerCase();
}
