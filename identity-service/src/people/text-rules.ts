/** Longest mail address that SMTP carries (RFC 5321 4.5.3.1.3). */
const maxEmail = 254;
/** As browsers check `type=email` (HTML, valid e-mail address), with a domain that has a dot. */
const emailShape =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** The address as it is kept. */
export function toEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** @param email of `toEmail` */
export function emailFault(email: string): string | undefined {
  if (email === '') return 'Enter your email address.';
  return email.length <= maxEmail && emailShape.test(email)
    ? undefined
    : 'Enter an email address, as name@example.com.';
}

/** As business.v1 wants it. */
export function usernameFault(username: string): string | undefined {
  if (username === '') return 'Enter a username for the business.';
  return /^[a-z][a-z0-9-]{2,31}$/.test(username)
    ? undefined
    : 'Use 3 to 32 lowercase letters, digits and hyphens, starting with a letter.';
}
