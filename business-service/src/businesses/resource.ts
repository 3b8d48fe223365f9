import type { Business, BusinessProfile } from './business.ts';

/** Exactly the fields of contract 2.1. */
export function businessResource(business: BusinessProfile) {
  return {
    id: business.id,
    is_banned: business.isBanned,
    unique_id: business.uniqueId,
    account_holder: business.accountHolder,
    logo: business.logo,
    username: business.username,
  };
}

/** A business in an event: its record and the state of its verification. */
export function businessSnapshot(business: Business) {
  const { status, submittedAt, decidedAt } = business.verification;
  return {
    ...businessResource(business),
    verification: {
      status,
      submitted_at: submittedAt?.toISOString() ?? null,
      decided_at: decidedAt?.toISOString() ?? null,
    },
  };
}
