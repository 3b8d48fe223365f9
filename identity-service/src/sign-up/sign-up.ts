import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import { knownAddressLetter, type PostOffice, signUpLetter } from '../people/emails.ts';
import { type PasswordHasher, passwordFault } from '../people/password.ts';
import { newPersonId, usernameFault } from '../people/person.ts';
import type { PersonStore } from '../people/store.ts';
import type { CreateBusiness } from '../platform/businesses.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import { type FieldErrors, fieldErrors, hasErrors, lineError } from '../platform/text.ts';
import { type FindInvitationDeps, findInvitation } from '../team/invitations.ts';
import type { HeldInvitation } from '../team/team.ts';
import type { NewPerson, SignUpStore } from './store.ts';

export interface BeginSignUpDeps {
  readonly hasher: SecretHasher;
  readonly people: Pick<PersonStore, 'findByEmail'>;
  readonly signUps: SignUpStore;
  readonly postOffice: PostOffice;
}

/**
 * Mails the link that leads on, or, to an address that has an account, a reminder of it. Whoever asked sees no difference:
 * all of it happens after the answer.
 * @param email lower case
 * @param onwards a path of ours as it leads on to where the sign-up came from
 */
export function beginSignUp(
  { hasher, people, signUps, postOffice }: BeginSignUpDeps,
  email: string,
  onwards: (path: string) => string,
): void {
  const { sendMail, background, publicUrl } = postOffice;
  background.run('sign-up', async () => {
    if ((await people.findByEmail(email)) !== undefined) {
      return sendMail({ to: email, ...knownAddressLetter(publicUrl, onwards('/login')) });
    }
    const token = createCheckedToken('su');
    await signUps.insert(hasher.hash(token), email);
    const path = onwards(`/signup/confirm?token=${token}`);
    await sendMail({ to: email, ...signUpLetter(publicUrl + path) });
  });
}

/** What somebody who signs up tells us. */
interface SignUpDraft {
  readonly name: string;
  readonly password: string;
  /** Undefined when the person joins a business that there is. */
  readonly business: BusinessDraft | undefined;
}

/** A business that somebody wants to have. */
export interface BusinessDraft {
  /** Display name. */
  readonly accountHolder: string;
  readonly username: string;
}

/** The draft as it is kept, and what is wrong with it. @param email that it is for */
export function checkSignUp(typed: SignUpDraft, email: string): { draft: SignUpDraft; faults: FieldErrors } {
  const { business } = typed;
  const draft = {
    name: typed.name.trim(),
    password: typed.password,
    business: business && {
      accountHolder: business.accountHolder.trim(),
      username: business.username.trim().toLowerCase(),
    },
  };
  const faults = fieldErrors({
    name: lineError(draft.name, 'your name', 100),
    password: passwordFault(draft.password, email),
    ...(draft.business && {
      business_name: lineError(draft.business.accountHolder, 'the name of your business', 200),
      username: usernameFault(draft.business.username),
    }),
  });
  return { draft, faults };
}

export interface CompleteSignUpDeps extends FindInvitationDeps {
  readonly passwords: PasswordHasher;
  readonly signUps: SignUpStore;
  readonly createBusiness: CreateBusiness;
}

interface CompleteSignUpInput {
  readonly token: string;
  readonly typed: SignUpDraft;
  /** Of the invitation that has led here. Whoever names no business joins that one. */
  readonly invitationToken: string | undefined;
  readonly clientIp: string;
  readonly requestId: string;
}

type CompleteSignUpOutcome =
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
      readonly faults: FieldErrors;
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
  if (hasErrors(faults)) return { kind: 'refused', email, faults, invitation };

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
