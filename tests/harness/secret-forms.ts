import { createHash } from 'node:crypto';

/** Texts that reveal a secret. */
export type SecretForms = readonly string[];

/** A key string: whole, without its prefix, its random part alone; as text, encoded, and under a plain hash. */
export function keyForms(keyString: string): SecretForms {
  const unprefixed = keyString.slice(keyString.indexOf('_') + 1);
  const random = unprefixed.slice(0, 33);
  return [keyString, unprefixed, random].flatMap((text) => [
    text,
    ...encodings(Buffer.from(text)),
    ...encodings(createHash('sha256').update(text).digest()),
  ]);
}

/** Bytes given as text: that text, and the bytes in other encodings. */
export function byteForms(text: string, encoding: 'hex' | 'base64'): SecretForms {
  return [text, ...encodings(Buffer.from(text, encoding)), ...encodings(Buffer.from(text))];
}

/** A PKCS #8 key in base64: whole, and its private half (the last 32 bytes of Ed25519, RFC 8410 section 7). */
export function privateKeyForms(base64: string): SecretForms {
  const der = Buffer.from(base64, 'base64');
  return [...byteForms(base64, 'base64'), ...encodings(der.subarray(-32))];
}

/** A JWT: whole, and each part that is not the same in all tokens. */
export function jwtForms(token: string): SecretForms {
  const [, body = '', signature = ''] = token.split('.');
  return [token, body, signature];
}

/** Padding is left out, so that a longer text is found as well. */
function encodings(bytes: Buffer): string[] {
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [bytes.toString('hex'), base64, bytes.toString('base64url')];
}
