import type { Business } from '../businesses/business.ts';
import type { Prisma } from '../generated/client.ts';

type Row = Prisma.BusinessGetPayload<object>;

export function businessOfRow(row: Row): Business {
  const { id, isBanned, uniqueId, accountHolder, logo, username, createdAt } = row;
  const { legalName, registrationNumber, country, submittedAt, decidedAt, rejectionReason } = row;
  return {
    id,
    isBanned,
    uniqueId,
    accountHolder,
    logo,
    username,
    createdAt,
    verification: {
      status: row.verificationStatus,
      legalName,
      registrationNumber,
      country,
      submittedAt,
      decidedAt,
      rejectionReason,
    },
  };
}

/** The columns that a step may change. */
export function rowOfBusiness({ isBanned, verification }: Business) {
  const { status, ...facts } = verification;
  return { isBanned, verificationStatus: status, ...facts };
}
