import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An identifier as business-service gives them: prefix and 20 random base62 characters. */
export function demoId(prefix: string): string {
  return `${prefix}_${Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}
