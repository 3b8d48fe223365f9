import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';

/** The sender of a request, as identity-service signed it. */
export interface Passport {
  /** The API key or access token. */
  readonly sub: string;
  readonly business_id: number;
  readonly credential_type: 'secret_key' | 'restricted_key' | 'access_token';
  /** Of an access token. */
  readonly application_id?: string;
  /** Every scope of the credential, separated by spaces. */
  readonly scope: string;
}

/** Public keys (RFC 7517). */
export interface KeySet {
  readonly keys: readonly (JsonWebKey & { readonly kid: string })[];
}

function decode(part: string) {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) ?? {};
  } catch {
    return {};
  }
}

/**
 * Returns a function that returns the passport in a token, or undefined for a token that is not valid.
 * @param audience name of the upstream in its document
 */
export function createPassportVerifier(readKeys: () => Promise<KeySet>, audience: string) {
  let keys = new Map<string, KeyObject>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const readAgain = async () => {
    const read = await readKeys();
    keys = new Map(read.keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]));
  };
  const keyOf = async (kid: string) => {
    // A new key may sign at any time; a kid that is made up costs one request per second.
    if (!keys.has(kid) && performance.now() - readAt > 1_000) {
      readAt = performance.now();
      reading = readAgain();
    }
    if (!keys.has(kid)) await reading;
    return keys.get(kid);
  };
  return async (token: string): Promise<Passport | undefined> => {
    const [head = '', body = '', signature = ''] = token.split('.');
    const { alg, kid } = decode(head);
    const key = alg === 'EdDSA' ? await keyOf(kid) : undefined;
    const signed = Buffer.from(`${head}.${body}`);
    if (!key || !verify(null, signed, key, Buffer.from(signature, 'base64url'))) return undefined;
    const { iss, aud, exp, ...passport } = decode(body);
    // Clocks may differ by five seconds.
    const isCurrent = Date.now() / 1_000 < exp + 5;
    return iss === 'identity-service' && aud === audience && isCurrent ? passport : undefined;
  };
}
