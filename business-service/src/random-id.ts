import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 20;

/** `<prefix>_` and 20 random base62 characters (119 bits): unique without asking anybody, and not guessable. */
export function randomId(prefix: string): string {
  return `${prefix}_${Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}
