import { Secret, TOTP } from 'otpauth';

/** Length of a time step (RFC 6238) and steps that a clock may be off, either way. */
const period = 30;
const window = 1;
const issuer = 'Business API';
/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;

/** A new secret, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** What an authenticator app reads from the QR code. @param account shown beside the code */
export function totpUri(secret: string, account: string): string {
  return totp(secret, account).toString();
}

/**
 * The time step that a code belongs to; undefined for a wrong code. A code must not be accepted twice: see
 * `PersonTransaction.takeStep`.
 * @param now milliseconds since 1970
 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const delta = totp(secret, '').validate({ token: code, timestamp: now, window });
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta;
}

function totp(secret: string, label: string): TOTP {
  return new TOTP({ issuer, label, period, algorithm: 'SHA1', digits: 6, secret: Secret.fromBase32(secret) });
}
