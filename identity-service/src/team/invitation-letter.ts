import type { Letter } from '../people/letters.ts';
import type { Role } from './team.ts';

/** What an invitation says to somebody who may never have heard of us. */
export interface InvitationWords {
  /** Display names: their owners chose them. */
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
  /** Good for a week, once. */
  readonly link: string;
}

/** A role, with its article. */
export const roleWords: Readonly<Record<Role, string>> = { owner: 'an owner', member: 'a member' };

/** @param link good for a week, once */
export function invitationLetter({ businessName, inviterName, role, link }: InvitationWords): Letter {
  const [business, inviter] = [quotable(businessName), quotable(inviterName)];
  return {
    subject: `Invitation to join ${business}`,
    text: `${inviter} invites you to join the business "${business}" at Business API as ${roleWords[role]}.

Accept the invitation:
${link}

Log in with this email address. If you have no account yet, choose "Create an account" there and sign up with this email
address: with the account you are in. The link works once, within 7 days.

If you do not know what this is about, do nothing: nobody is told that you have read this.
`,
  };
}

const maxLength = 80;

/** A name that others chose, fit for a letter of ours: short, and nothing in it becomes a link. */
export function quotable(name: string): string {
  const plain = name.replaceAll(/\s+/g, ' ').replaceAll(/[.:/@\\]+(?=\S)/g, ' ');
  const characters = [...plain.trim()];
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength).join('')}…`;
}
