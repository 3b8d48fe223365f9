import { randomHexId } from '@platform/service-kit/ids.ts';
import { type FieldErrors, fieldErrors, lineError } from '../platform/text.ts';

/** Somebody who signs in. Times are milliseconds since 1970. */
export interface Person {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  /** When the password was set; every session remembers the one that it was begun with. */
  readonly passwordSetAt: number;
  readonly secondFactor: SecondFactorState;
  /** Recovery codes that are left. */
  readonly recoveryCodes: number;
}

/** `offered`: a secret has been made, and no code of it was shown yet. */
export type SecondFactorState = 'off' | 'offered' | 'on';

/** A person with what proves who it is. */
export interface PersonWithSecrets extends Person {
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  /** Sealed secret of the second factor. */
  readonly totpSecret: Uint8Array | undefined;
}

/** A person's part in a business. */
export interface Membership {
  readonly businessId: number;
  readonly role: 'owner' | 'member';
}

/** A new identifier of a person. */
export function newPersonId(): string {
  return randomHexId('per');
}

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

/** The legal entity behind a business, as its owner hands it in. */
export interface LegalFacts {
  readonly legalName: string;
  readonly registrationNumber: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** The facts as they are handed in, and what is wrong with them. */
export function checkLegalFacts(typed: LegalFacts): { facts: LegalFacts; faults: FieldErrors } {
  const facts = {
    legalName: typed.legalName.trim(),
    registrationNumber: typed.registrationNumber.trim(),
    country: typed.country.trim().toUpperCase(),
  };
  const faults = fieldErrors({
    legal_name: lineError(facts.legalName, 'the registered name', 200),
    registration_number: lineError(facts.registrationNumber, 'the number in the register', 100),
    country: /^[A-Z]{2}$/.test(facts.country)
      ? undefined
      : 'Enter the two-letter code of the country, as DE or US.',
  });
  return { facts, faults };
}
