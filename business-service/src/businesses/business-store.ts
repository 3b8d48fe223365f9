import type { Business, BusinessProfile } from './business.ts';
import type { BusinessChange, BusinessStep } from './change-business.ts';

export interface BusinessDraft extends Pick<Business, 'accountHolder' | 'username' | 'logo'> {
  /** Names this creation. */
  readonly creationKey: string | null;
}

export type CreateOutcome =
  | { readonly kind: 'created'; readonly business: Business }
  | { readonly kind: 'username_taken' };

/** Where businesses are kept. Every write appends its event in the same transaction. */
export interface BusinessStore {
  /** One read of one row. */
  profile(id: number): Promise<BusinessProfile | undefined>;
  find(id: number): Promise<Business | undefined>;
  /** Makes a business. With a creation key that has been used, resolves to the business that was made then. */
  create(draft: BusinessDraft): Promise<CreateOutcome>;
  /** Takes a step with nobody changing the business in between; undefined: no such business. */
  change(id: number, step: BusinessStep): Promise<BusinessChange | undefined>;
}
