import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomBase62 } from '../values/ids.ts';

/*
 * Secrets that people paste: `<prefix>_<random><tag><checksum>`, all base62. The checksum is public: secret scanners
 * use it against false positives. The tag of a credential is keyed, so that the gateway refuses random strings without
 * a lookup; it authenticates nothing, the stored hash of the whole string does. Secrets that never reach the gateway
 * have random characters instead of a tag.
 */

const randomLength = 33;
const tagLength = 6;
const checksumLength = 6;
const bodyLength = randomLength + tagLength;

/** Characters behind the prefix and its underscore. */
export const checkedTokenLength = bodyLength + checksumLength;

const shape = new RegExp(`^([a-z]{2})_[0-9A-Za-z]{${checkedTokenLength}}$`);

/** A key for tags. @param secret at least 32 characters */
export function createTagKey(secret: string): KeyObject {
  return createSecretKey(secret, 'utf8');
}

/**
 * A new secret: at least 33 random characters (196 bits) between prefix and checksum.
 * @param tagKey adds the tag of a credential
 */
export function createCheckedToken(prefix: string, tagKey?: KeyObject): string {
  const body = `${prefix}_${randomBase62(tagKey === undefined ? bodyLength : randomLength)}`;
  const tagged = tagKey === undefined ? body : body + tagOf(body, tagKey);
  return tagged + checksum(tagged);
}

/** The prefix of a well-formed secret; undefined for any other text. */
export function checkedTokenPrefix(candidate: string): string | undefined {
  const prefix = shape.exec(candidate)?.[1];
  if (prefix === undefined) return undefined;
  return candidate.endsWith(checksum(candidate.slice(0, -checksumLength))) ? prefix : undefined;
}

/** Secrets in a text, wherever they begin. */
const contained = new RegExp(`(?=([a-z]{2}_[0-9A-Za-z]{${checkedTokenLength}}))`, 'g');

/** Secrets of webhooks (Standard Webhooks 1.0.0), which have no checksum. */
const webhookSecret = /whs(?:ec|k)_[0-9A-Za-z+/]{24}/;

/** Whether a text contains a whole secret. A prefix with the last four characters does not count. */
export function containsSecret(text: string): boolean {
  if (webhookSecret.test(text)) return true;
  return [...text.matchAll(contained)].some(([, secret = '']) => checkedTokenPrefix(secret) !== undefined);
}

/** Whether a well-formed secret has a tag of one of the keys. */
export function hasTag(token: string, tagKeys: readonly KeyObject[]): boolean {
  const body = token.slice(0, -(tagLength + checksumLength));
  const tag = token.slice(body.length, -checksumLength);
  return tagKeys.some((key) => tagOf(body, key) === tag);
}

function tagOf(body: string, key: KeyObject): string {
  return digitsOf(createHmac('sha256', key).update(body).digest().readUIntBE(0, 6), tagLength);
}

function checksum(body: string): string {
  return digitsOf(crc32(body), checksumLength);
}

/** The last `length` base62 digits of a number. */
function digitsOf(value: number, length: number): string {
  let rest = value;
  let digits = '';
  for (let i = 0; i < length; i++) {
    digits = base62[rest % base62.length] + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
