import type { BusinessRecord } from '../clients/business.ts';
import { formatRecord, formatTime } from './output.ts';

/** Business for `--json`. */
export function businessJson(business: BusinessRecord) {
  return {
    id: business.id,
    uniqueId: business.uniqueId,
    accountHolder: business.accountHolder,
    username: business.username,
    logo: business.logo || null,
    isBanned: business.isBanned,
    createdAt: formatTime(business.createdAt),
    verification: {
      status: business.verification,
      legalName: business.facts?.legalName ?? null,
      registrationNumber: business.facts?.registrationNumber ?? null,
      country: business.facts?.country ?? null,
      submittedAt: formatTime(business.submittedAt),
      decidedAt: formatTime(business.decidedAt),
      rejectionReason: business.rejectionReason || null,
    },
  };
}

/** Business as text. */
export function businessRecord(business: BusinessRecord): string {
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
    created: fields.createdAt,
  });
}
