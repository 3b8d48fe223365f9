import type { SecretHasher } from '../secrets/secret-hasher.ts';
import { type Faults, hasFaults } from './faults.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { newPersonId } from './person-id.ts';
import { checkSignUp, type SignUpDraft } from './sign-up-draft.ts';
import type { SignUpStore } from './sign-up-store.ts';

/** A new business to make in business-service. Asked again with the same key, it is the business made before. */
export interface NewBusiness extends Pick<SignUpDraft, 'accountHolder' | 'username'> {
  readonly creationKey: string;
}

/** @throws AppError unavailable when business-service does not answer */
export type CreateBusiness = (
  business: NewBusiness,
  requestId: string,
) => Promise<{ readonly kind: 'created'; readonly businessId: number } | { readonly kind: 'username_taken' }>;

export interface CompleteSignUpDeps {
  readonly hasher: SecretHasher;
  readonly passwords: PasswordHasher;
  readonly signUps: SignUpStore;
  readonly createBusiness: CreateBusiness;
}

export interface CompleteSignUpInput {
  readonly token: string;
  readonly typed: SignUpDraft;
  readonly clientIp: string;
  readonly requestId: string;
}

export type CompleteSignUpOutcome =
  | { readonly kind: 'done'; readonly personId: string; readonly passwordSetAt: number }
  /** The link was used, is too old, or never was; or its address has got an account meanwhile. */
  | { readonly kind: 'link_over' }
  | { readonly kind: 'refused'; readonly email: string; readonly faults: Faults };

/**
 * Makes the business, then the person that owns it. The business comes first and under the sign-up's own key: whatever
 * fails or gets lost, the link still works, and using it again finds the business that was made.
 */
export async function completeSignUp(
  { hasher, passwords, signUps, createBusiness }: CompleteSignUpDeps,
  { token, typed, clientIp, requestId }: CompleteSignUpInput,
): Promise<CompleteSignUpOutcome> {
  const address = await signUps.find(hasher.candidates(token));
  if (address === undefined) return { kind: 'link_over' };
  const { email, tokenHash } = address;
  const { draft, faults } = checkSignUp(typed, email);
  if (hasFaults(faults)) return { kind: 'refused', email, faults };

  const { name, password, ...business } = draft;
  const passwordHash = await passwords.hash(password);
  const creationKey = `sign-up:${tokenHash.toString('hex')}`;
  const creation = await createBusiness({ ...business, creationKey }, requestId);
  if (creation.kind === 'username_taken') {
    return { kind: 'refused', email, faults: { username: 'This username is taken. Choose another one.' } };
  }
  const personId = newPersonId();
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  const owner = { personId, name, passwordHash, businessId: creation.businessId, actor };
  const passwordSetAt = await signUps.complete(tokenHash, owner);
  return passwordSetAt === undefined ? { kind: 'link_over' } : { kind: 'done', personId, passwordSetAt };
}
