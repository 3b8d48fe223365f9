import type { Background } from '../platform/background.ts';
import type { Mail, SendMail } from '../platform/mail.ts';

/** What a letter says; to whom is for the sender to say. */
export type Letter = Omit<Mail, 'to'>;

/** Asks whoever reads the address to confirm it. @param link good for an hour, once */
export function signUpLetter(link: string): Letter {
  return {
    subject: 'Confirm your email address',
    text: `Welcome to Business API.

Confirm that this is your email address, and go on to set up your account:
${link}

The link works once, within an hour. If you did not sign up, do nothing: no account is made.
`,
  };
}

/** For somebody who signed up with an address that has an account. @param loginPath path of the login */
export function knownAddressLetter(publicUrl: string, loginPath: string): Letter {
  return {
    subject: 'You already have an account',
    text: `Somebody, most likely you, signed up for Business API with this email address. It already has an account.

Log in:
${publicUrl}${loginPath}

If you have forgotten your password:
${publicUrl}/password/forgot

If it was not you, do nothing: your account is as it was.
`,
  };
}

/** @param link good for half an hour, once */
export function resetLetter(link: string): Letter {
  return {
    subject: 'Set a new password',
    text: `Somebody, most likely you, asked for a new password for your Business API account. Set it here:
${link}

The link works once, within 30 minutes. If you did not ask for it, do nothing: your password stays as it is.
`,
  };
}

/** Tells the owner of a change that a thief would make, too. @param what as `Your password was changed` */
export function noticeLetter(what: string, publicUrl: string): Letter {
  return {
    subject: what,
    text: `${what} at Business API.

If that was you, there is nothing to do. If not, set a new password at once, which ends every session:
${publicUrl}/password/forgot
`,
  };
}

/** What operations need to write to people without letting the answer wait. */
export interface PostOffice {
  readonly sendMail: SendMail;
  readonly background: Background;
  /** Origin of the links in letters. */
  readonly publicUrl: string;
}

/** Posts a letter when the answer is out. */
export function post({ sendMail, background }: PostOffice, to: string, letter: Letter): void {
  background.run('mail', () => sendMail({ to, ...letter }));
}
