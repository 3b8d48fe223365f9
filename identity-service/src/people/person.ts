import { domainToASCII } from 'node:url';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { isEmailDomain } from '@platform/service-kit/values/email-domain.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import { isCountry, isRegistrationNumber } from '@platform/service-kit/values/legal-entity.ts';
import type { LegalFacts } from '../clients/business.ts';
import {
  type FieldErrors,
  fieldErrors,
  nameError,
  publicNameError,
  reservedNameError,
} from '../platform/text.ts';

/** A person with an account. Times are milliseconds since 1970. */
export interface Person {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  /** When the password was set; sessions that began with an earlier one have ended. */
  readonly passwordSetAt: number;
  /** Of an authenticator app. */
  readonly secondFactor: 'off' | 'on';
  /** Number of passkeys. */
  readonly passkeys: number;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
}

/** Whether a login takes more than the password: a code of the app, or a passkey. */
export function hasSecondFactor({ secondFactor, passkeys }: Person): boolean {
  return secondFactor === 'on' || passkeys > 0;
}

/** A person with the hash and the secret that prove its identity. */
export interface PersonWithSecrets extends Person {
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  /** Encrypted secret of the second factor. */
  readonly totpSecret: Uint8Array | undefined;
}

/**
 * The person of a session or token. Sessions are deleted with their person, so a missing one is a bug.
 * @throws AppError internal when the person does not exist
 */
export function existingPerson<T extends Person>(person: T | undefined): T {
  if (person === undefined) throw new AppError('internal', 'person_gone', 'unexpected error');
  return person;
}

/** Creates an identifier of a person: 96 random bits. */
export function newPersonId(): string {
  return randomHexId('per');
}

/** Validation error of the name of a person, if any. @param name without blanks around it */
export const personNameError = (name: string): string | undefined => publicNameError(name, 'your name', 100);

/** Longest email address that SMTP carries (RFC 5321 4.5.3.1.3). */
const maxEmail = 254;

/** As browsers check `type=email` (HTML standard, valid email address) before the @. */
const localShape = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;

const notAscii = /[^\p{ASCII}]/u;

/**
 * The address as it is stored: trimmed, in lower case, with an international domain in its ASCII form (RFC 5891), so that
 * both forms of a domain are the same address.
 */
export function normalizeEmail(text: string): string {
  // Lowercases ASCII letters only, because the Kelvin sign would become a k.
  const email = text.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  return at > 0 && notAscii.test(domain) ? email.slice(0, at) + (domainToASCII(domain) || domain) : email;
}

/** Validation error of an email address, if any. @param email result of `normalizeEmail` */
export function validateEmail(email: string): string | undefined {
  if (email === '') return 'Enter your email address.';
  const at = Math.max(email.lastIndexOf('@'), 0);
  const local = email.slice(0, at);
  if (notAscii.test(local)) {
    return 'We cannot send mail to an address with such letters before the @. Use an address with only a to z, digits and symbols there.';
  }
  return email.length <= maxEmail && localShape.test(local) && isEmailDomain(email.slice(at + 1))
    ? undefined
    : 'Enter an email address such as name@example.com.';
}

/** Validation error of a username, if any, by the rules of business.v1. */
export function validateUsername(username: string): string | undefined {
  if (username === '') return 'Enter a username for the business.';
  return /^[a-z][a-z0-9-]{2,31}$/.test(username)
    ? reservedNameError(username)
    : 'Use 3 to 32 lowercase letters, digits and hyphens, starting with a letter.';
}

/** Trims the facts and validates them; errors are keyed by form field. */
export function validateLegalFacts(submitted: LegalFacts): { facts: LegalFacts; errors: FieldErrors } {
  const facts = {
    legalName: submitted.legalName.trim(),
    registrationNumber: submitted.registrationNumber.trim(),
    country: submitted.country.trim().toUpperCase(),
  };
  const errors = fieldErrors({
    legal_name: nameError(facts.legalName, 'the registered name', 200),
    registration_number: registrationNumberError(facts.registrationNumber),
    country: isCountry(facts.country) ? undefined : 'Enter the two-letter country code, such as DE or US.',
  });
  return { facts, errors };
}

function registrationNumberError(text: string): string | undefined {
  const error = nameError(text, 'the registration number', 50);
  if (error !== undefined || isRegistrationNumber(text)) return error;
  return 'Enter the number in the register: letters and digits, with at least one digit.';
}
