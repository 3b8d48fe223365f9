import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * A secret that people paste: `<prefix>_<random><checksum>`, all base62. The checksum lets scanners tell a real one from
 * noise and lets a door refuse nonsense without asking anybody.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 33;
const checksumLength = 6;
const shape = new RegExp(`^([a-z]{2})_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Bytes that map evenly onto 62 characters. */
const evenBytes = 256 - (256 % alphabet.length);

/** A new secret: 33 random characters (196 bits) between prefix and checksum. */
export function createCheckedToken(prefix: string): string {
  let random = '';
  while (random.length < randomLength) {
    for (const byte of randomBytes(randomLength)) {
      if (byte < evenBytes && random.length < randomLength) random += alphabet[byte % alphabet.length];
    }
  }
  const body = `${prefix}_${random}`;
  return body + checksum(body);
}

/** The prefix of a well-formed secret; undefined for everything else. */
export function checkedTokenPrefix(candidate: string): string | undefined {
  const prefix = shape.exec(candidate)?.[1];
  if (prefix === undefined) return undefined;
  return candidate.endsWith(checksum(candidate.slice(0, -checksumLength))) ? prefix : undefined;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
