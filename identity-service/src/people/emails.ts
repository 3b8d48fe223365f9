import type { EmailContent } from '../web/mail.ts';

/** Asks to confirm an address. @param link expires after an hour, works once */
export function signUpEmail(link: string): EmailContent {
  return {
    subject: 'Confirm your email address',
    text: `Welcome to Business API.

Confirm your email address to set up your account:
${link}

The link works once and expires in an hour. If you did not sign up, ignore this email: no account is created.
`,
  };
}

/** For a sign-up with an address that already has an account. @param loginPath path of the login page */
export function existingAccountEmail(publicUrl: string, loginPath: string): EmailContent {
  return {
    subject: 'You already have an account',
    text: `You, or another person, signed up for Business API with this email address. It already has an account.

Log in:
${publicUrl}${loginPath}

If you forgot your password:
${publicUrl}/password/forgot

If it was not you, ignore this email: your account has not changed.
`,
  };
}

/** @param link expires after 30 minutes, works once */
export function passwordResetEmail(link: string): EmailContent {
  return {
    subject: 'Set a new password',
    text: `You, or another person, requested a new password for your Business API account. Set it here:
${link}

The link works once and expires in 30 minutes. If you did not request it, ignore this email: your password does not change.
`,
  };
}

/**
 * Warns a person about many failed logins. @param what `codes`: the password was right
 * @param clientIp address of the last one
 */
export function failedLoginsEmail(
  what: 'passwords' | 'codes',
  clientIp: string,
  publicUrl: string,
): EmailContent {
  const advice = {
    passwords: `They were refused, and you can log in as always. If the page asks you to wait, use a browser in which you have logged in before. Or set a new password, which works at once:
${publicUrl}/password/forgot

A second factor keeps others out even with your password. Turn it on:
${publicUrl}/dashboard/profile`,
    codes: `The person who entered them has your password. If it was not you, set a new password now, which ends all sessions:
${publicUrl}/password/forgot`,
  }[what];
  return {
    subject: `Many wrong ${what} for your account`,
    text: `Many wrong ${what} were entered today to log in to your Business API account, the last one from ${clientIp}.

${advice}
`,
  };
}
