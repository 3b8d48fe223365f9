import { createHmac, type KeyObject } from 'node:crypto';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';

/** Hashes secrets for storage. The hashes are useless without the pepper. */
export interface SecretHasher {
  /** A new API key or access token, which gateways recognize by its tag. */
  createCredential(prefix: 'sk' | 'rk' | 'at'): string;
  /** Hash of a new secret, under the current pepper. */
  hash(secret: string): Buffer<ArrayBuffer>;
  /** Every hash under which a presented secret may be stored: current pepper first, retired ones after it. */
  candidates(secret: string): Buffer<ArrayBuffer>[];
}

/**
 * @param peppers current first, then the retired ones that are still accepted
 * @param tagKey of new credentials; without one no gateway knows them
 */
export function createSecretHasher(
  peppers: readonly [string, ...string[]],
  tagKey?: KeyObject,
): SecretHasher {
  const hmac = (pepper: string, secret: string) => createHmac('sha256', pepper).update(secret).digest();
  return {
    createCredential: (prefix) => createCheckedToken(prefix, tagKey),
    hash: (secret) => hmac(peppers[0], secret),
    candidates: (secret) => peppers.map((pepper) => hmac(pepper, secret)),
  };
}
