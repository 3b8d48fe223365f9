import type { EmailContent } from '../../web/mail.ts';

/** To a new address. @param link expires after an hour, works once, for the person who asked */
export function confirmEmailEmail(link: string): EmailContent {
  return {
    subject: 'Confirm your new email address',
    text: `You, or another person, entered this email address as the new one of a Business API account.

Confirm it:
${link}

If the page asks you to log in, use the email address that the account has now. The link works once and expires in an hour.
If it was not you, ignore this email: nothing changes.
`,
  };
}

/** To an address that belongs to the account of another person. */
export function takenEmailEmail(): EmailContent {
  return {
    subject: 'Your email address was entered for another account',
    text: `You, or another person, entered this email address as the new one of another Business API account. It belongs to your
account already, so it was refused. Your account has not changed.
`,
  };
}

/** To a replaced address that signs up while the change can be undone. */
export function replacedEmailEmail(): EmailContent {
  return {
    subject: 'This email address was replaced',
    text: `You, or another person, signed up for Business API with this email address. It was the address of an account until
recently.

We sent you an email when it was replaced: if it was not you, undo the change with the link in that email.
If you want another account with this email address, sign up again three days after the change.
`,
  };
}
