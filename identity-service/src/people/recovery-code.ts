import { randomBytes } from 'node:crypto';

/** Letters and digits that are not taken for each other (Crockford's base32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const half = 5;
const count = 10;

/** Ten new codes of 50 random bits, as `x7k2p-9q3mz`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, newRecoveryCode);
}

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(2 * half), (byte) => alphabet.charAt(byte % alphabet.length));
  return `${letters.slice(0, half).join('')}-${letters.slice(half).join('')}`;
}

/**
 * What is hashed of a code, so that the same code of two people looks different; undefined when it cannot be one.
 * Blanks, capitals and the hyphen do not matter.
 */
export function recoveryCodeSecret(personId: string, code: string): string | undefined {
  const plain = code.toLowerCase().replace(/[\s-]/g, '');
  return /^[0-9a-z]{10}$/.test(plain) ? `recovery:${personId}:${plain}` : undefined;
}
