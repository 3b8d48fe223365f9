import { isEmailDomain } from '@platform/service-kit/values/email-domain.ts';
import { isName } from '@platform/service-kit/values/name.ts';

/** Octets of a local part (RFC 5321 section 4.5.3.1.1). */
const maxLocalOctets = 64;

/** Atoms of RFC 5321, and every character beyond ASCII (RFC 6531 section 3.3), separated by dots. */
const localShape =
  /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;

/**
 * Whether a text is an email address, possibly internationalized (RFC 6531): an unquoted local part and a domain with an
 * ASCII form (IDNA), without blanks and without characters that hide or reverse others.
 */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at !== -1 && isLocalPart(text.slice(0, at)) && isEmailDomain(text.slice(at + 1));
}

function isLocalPart(local: string): boolean {
  // `＠` is an `@` once it is normalized.
  const isAtoms = [local, local.normalize('NFKC')].every((form) => localShape.test(form));
  return isAtoms && Buffer.byteLength(local) <= maxLocalOctets && isName(local) && !/\p{Z}/u.test(local);
}
