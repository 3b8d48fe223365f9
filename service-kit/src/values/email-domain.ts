import { domainToASCII } from 'node:url';

/** Letters, marks and digits of every script, and the signs that IDNA (RFC 5892) permits between them. */
const domainCharacters = /^[\p{L}\p{M}\p{N}\u{b7}\u{375}\u{5f3}\u{5f4}\u{30fb}.-]+$/u;

/** Two or more ASCII labels (RFC 1035). The last one is not a number, because that would be an IPv4 address. */
const asciiDomain =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** Whether mail can be sent to a domain, in ASCII or not (RFC 6531): it has a form in ASCII (IDNA), and two labels or more. */
export function isEmailDomain(domain: string): boolean {
  return domainCharacters.test(domain) && asciiDomain.test(domainToASCII(domain));
}
