import { randomBytes } from 'node:crypto';

/** 0-9, A-Z, a-z. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Byte values that map evenly onto the 62 characters. */
const evenBytes = 256 - (256 % base62.length);

/** Random base62 characters, 5.95 bits each. */
export function randomBase62(length: number): string {
  let random = '';
  while (random.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < evenBytes && random.length < length) random += base62[byte % base62.length];
    }
  }
  return random;
}

/** `<prefix>_` and 20 random base62 characters (119 bits). */
export function randomId(prefix: string): string {
  return `${prefix}_${randomBase62(20)}`;
}

/** `<prefix>_` and random hexadecimal digits, two for each of `bytes`. */
export function randomHexId(prefix: string, bytes = 12): string {
  return `${prefix}_${randomBytes(bytes).toString('hex')}`;
}
