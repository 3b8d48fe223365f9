import { type FindInvitationDeps, findInvitation } from '../team/find-invitation.ts';
import type { HeldInvitation } from '../team/team.ts';
import { type Faults, hasFaults } from './faults.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { newPersonId } from './person-id.ts';
import { type BusinessDraft, checkSignUp, type SignUpDraft } from './sign-up-draft.ts';
import type { NewPerson, SignUpStore } from './sign-up-store.ts';

/** A new business to make in business-service. Asked again with the same key, it is the business made before. */
export interface NewBusiness extends BusinessDraft {
  readonly creationKey: string;
}

/** @throws AppError unavailable when business-service does not answer */
export type CreateBusiness = (
  business: NewBusiness,
  requestId: string,
) => Promise<{ readonly kind: 'created'; readonly businessId: number } | { readonly kind: 'username_taken' }>;

export interface CompleteSignUpDeps extends FindInvitationDeps {
  readonly passwords: PasswordHasher;
  readonly signUps: SignUpStore;
  readonly createBusiness: CreateBusiness;
}

export interface CompleteSignUpInput {
  readonly token: string;
  readonly typed: SignUpDraft;
  /** Of the invitation that has led here. Whoever names no business joins that one. */
  readonly invitationToken: string | undefined;
  readonly clientIp: string;
  readonly requestId: string;
}

export type CompleteSignUpOutcome =
  | {
      readonly kind: 'done';
      readonly personId: string;
      readonly passwordSetAt: number;
      /** The business that the person has joined; undefined for those who have made their own. */
      readonly joined: number | undefined;
    }
  /** The link was used, is too old, or never was; or its address has got an account meanwhile. */
  | { readonly kind: 'link_over' }
  | {
      readonly kind: 'refused';
      readonly email: string;
      readonly faults: Faults;
      readonly invitation: HeldInvitation | undefined;
    };

/** What a form without fields for a business says of one. */
const unnamed: BusinessDraft = { accountHolder: '', username: '' };

/**
 * Makes the person, who joins the business that has invited the address or owns a new one. A new business comes first and
 * under the sign-up's own key: whatever fails or gets lost, the link still works, and using it again finds that business.
 * @throws AppError also when the invitation ends meanwhile: the link still works, for a business of one's own
 */
export async function completeSignUp(
  deps: CompleteSignUpDeps,
  { token, typed, invitationToken, clientIp, requestId }: CompleteSignUpInput,
): Promise<CompleteSignUpOutcome> {
  const { hasher, passwords, signUps } = deps;
  const address = await signUps.find(hasher.candidates(token));
  if (address === undefined) return { kind: 'link_over' };
  const { email, tokenHash } = address;
  const invitation = typed.business ? undefined : await findInvitation(deps, invitationToken, email);
  const business = invitation ? undefined : (typed.business ?? unnamed);
  const { draft, faults } = checkSignUp({ ...typed, business }, email);
  if (hasFaults(faults)) return { kind: 'refused', email, faults, invitation };

  const passwordHash = await passwords.hash(draft.password);
  const home = draft.business
    ? await makeHome(deps, draft.business, tokenHash, requestId)
    : invitation && { invitation };
  if (home === undefined) {
    const taken = { username: 'This username is taken. Choose another one.' };
    return { kind: 'refused', email, faults: taken, invitation };
  }
  const personId = newPersonId();
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  const person = { personId, name: draft.name, passwordHash, home, actor };
  const passwordSetAt = await signUps.complete(tokenHash, person);
  if (passwordSetAt === undefined) return { kind: 'link_over' };
  return { kind: 'done', personId, passwordSetAt, joined: invitation?.businessId };
}

/** A new business. Undefined when its username is taken. */
async function makeHome(
  { createBusiness }: Pick<CompleteSignUpDeps, 'createBusiness'>,
  business: BusinessDraft,
  tokenHash: Buffer,
  requestId: string,
): Promise<NewPerson['home'] | undefined> {
  const creationKey = `sign-up:${tokenHash.toString('hex')}`;
  const creation = await createBusiness({ ...business, creationKey }, requestId);
  return creation.kind === 'created' ? { ownBusinessId: creation.businessId } : undefined;
}
