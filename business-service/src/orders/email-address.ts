import { domainToASCII } from 'node:url';
import { isName } from '@platform/service-kit/name.ts';

/** Octets of a local part (RFC 5321 section 4.5.3.1.1). */
const maxLocalOctets = 64;

/** Atoms of RFC 5321, and every character beyond ASCII (RFC 6531 section 3.3), separated by dots. */
const localShape =
  /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;

/** Letters, marks and digits of every script, and the signs that IDNA (RFC 5892) permits between them. */
const domainCharacters = /^[\p{L}\p{M}\p{N}\u{b7}\u{375}\u{5f3}\u{5f4}\u{30fb}.-]+$/u;

/** Two labels or more in ASCII (RFC 1035); the last is no number, as it would be that of an IPv4 address. */
const asciiDomain =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Whether a text is an email address, internationalized (RFC 6531) or not: a local part without quotes, and a domain that has
 * a form in ASCII (IDNA). No characters that hide or reverse others, no blanks.
 */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at !== -1 && isLocalPart(text.slice(0, at)) && isDomain(text.slice(at + 1));
}

function isLocalPart(local: string): boolean {
  // `＠` is an `@` once it is normalized.
  const isAtoms = [local, local.normalize('NFKC')].every((form) => localShape.test(form));
  return isAtoms && Buffer.byteLength(local) <= maxLocalOctets && isName(local) && !/\p{Z}/u.test(local);
}

function isDomain(domain: string): boolean {
  return domainCharacters.test(domain) && asciiDomain.test(domainToASCII(domain));
}
