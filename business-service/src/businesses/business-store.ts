import type { Business, BusinessProfile } from './business.ts';
import type { BusinessChange, BusinessStep } from './change-business.ts';

export type BusinessDraft = Pick<Business, 'accountHolder' | 'username' | 'logo'>;

export type CreateOutcome =
  | { readonly kind: 'created'; readonly business: Business }
  | { readonly kind: 'username_taken' };

/** Where businesses are kept. Every write appends its event in the same transaction. */
export interface BusinessStore {
  /** One read of one row. */
  profile(id: number): Promise<BusinessProfile | undefined>;
  find(id: number): Promise<Business | undefined>;
  create(draft: BusinessDraft): Promise<CreateOutcome>;
  /** Takes a step with nobody changing the business in between; undefined: no such business. */
  change(id: number, step: BusinessStep): Promise<BusinessChange | undefined>;
}
