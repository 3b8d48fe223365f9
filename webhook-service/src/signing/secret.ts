import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/*
 * Standard Webhooks 1.0.0, "Signature scheme": `whsec_` and base64 of a random secret signs by HMAC-SHA256 (`v1`);
 * `whsk_` and base64 of an Ed25519 seed with its public key signs by Ed25519 (`v1a`), which `whpk_` and base64 of the
 * public key verifies.
 */

export const secretKinds = ['whsec', 'whsk'] as const;

export type SecretKind = (typeof secretKinds)[number];

/** A key that is ready to sign. Keep it between attempts: parsing a key takes at least as long as signing. */
export interface SigningKey {
  readonly kind: SecretKind;
  readonly key: KeyObject;
}

/** Headers of an attempt, as the standard names them. */
export type SignatureHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;

/** Bytes of a new `whsec_` secret; the standard asks for 24 to 64. */
const secretBytes = 32;

const minSecretBytes = 24;

const maxSecretBytes = 64;

/** Bytes of an Ed25519 seed, and of a public key. */
const keyBytes = 32;

const idShape = /^[A-Za-z0-9_-]{1,128}$/;

/** A new random secret of a kind. */
export function createSecret(kind: SecretKind): string {
  if (kind === 'whsec') return `whsec_${randomBytes(secretBytes).toString('base64')}`;
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return `whsk_${Buffer.concat([fromBase64Url(d), fromBase64Url(x)]).toString('base64')}`;
}

/** The kind of a secret. @throws RangeError for a text without a kind's prefix */
export function kindOf(secret: string): SecretKind {
  const kind = secretKinds.find((name) => secret.startsWith(`${name}_`));
  if (kind === undefined) throw new RangeError('a signing secret begins with whsec_ or whsk_');
  return kind;
}

/** The key of a secret. @throws RangeError without the secret in its text */
export function readSigningKey(secret: string): SigningKey {
  const kind = kindOf(secret);
  const bytes = secretBytesOf(secret, kind);
  if (kind === 'whsk') return { kind, key: readPrivateKey(bytes) };
  if (bytes.length < minSecretBytes || bytes.length > maxSecretBytes) {
    throw new RangeError(`a whsec_ secret has ${minSecretBytes} to ${maxSecretBytes} bytes`);
  }
  return { kind, key: createSecretKey(bytes) };
}

/** The public key of a `whsk_` secret, as `whpk_` and base64. @throws RangeError for any other secret */
export function publicKeyOf(secret: string): string {
  const { kind, key } = readSigningKey(secret);
  if (kind !== 'whsk') throw new RangeError('a whsec_ secret has no public key');
  const { x = '' } = key.export({ format: 'jwk' });
  return `whpk_${fromBase64Url(x).toString('base64')}`;
}

/**
 * Signs an attempt with every key, in their order.
 * @param id of the event, the same in every attempt
 * @param timestampSeconds of the attempt, since 1970
 * @throws RangeError for an id with a dot, which separates the signed parts, or for a fraction of a second
 */
export function signatureHeaders(
  keys: readonly [SigningKey, ...SigningKey[]],
  id: string,
  timestampSeconds: number,
  body: string,
): SignatureHeaders {
  if (!idShape.test(id)) throw new RangeError('an event id has letters, digits, - and _ only');
  if (!Number.isSafeInteger(timestampSeconds)) throw new RangeError('a timestamp is in whole seconds');
  const content = Buffer.from(`${id}.${timestampSeconds}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': keys.map((key) => signatureOf(key, content)).join(' '),
  };
}

function signatureOf({ kind, key }: SigningKey, content: Buffer): string {
  return kind === 'whsec'
    ? `v1,${createHmac('sha256', key).update(content).digest('base64')}`
    : `v1a,${sign(null, content, key).toString('base64')}`;
}

function secretBytesOf(secret: string, kind: SecretKind): Buffer {
  const base64 = secret.slice(kind.length + 1);
  const bytes = Buffer.from(base64, 'base64');
  // Buffer.from ignores characters that are not base64.
  if (bytes.toString('base64') !== base64) throw new RangeError(`a ${kind}_ secret ends in base64`);
  return bytes;
}

function readPrivateKey(bytes: Buffer): KeyObject {
  if (bytes.length !== 2 * keyBytes) throw new RangeError('a whsk_ secret is a seed and its public key');
  const d = bytes.subarray(0, keyBytes).toString('base64url');
  const x = bytes.subarray(keyBytes).toString('base64url');
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  if (key.export({ format: 'jwk' }).x !== x) {
    throw new RangeError('the public key of a whsk_ secret belongs to its seed');
  }
  return key;
}

function fromBase64Url(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}
