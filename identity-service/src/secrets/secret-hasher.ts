import { createHmac } from 'node:crypto';

/** Turns secrets into what may be stored. Stored hashes are worthless without the pepper. */
export interface SecretHasher {
  /** Hash of a new secret, under the current pepper. */
  hash(secret: string): Buffer;
  /** Every hash under which a presented secret may be stored: current pepper first, retired ones after it. */
  candidates(secret: string): Buffer[];
}

/** @param peppers current first, then the retired ones that are still accepted */
export function createSecretHasher(peppers: readonly [string, ...string[]]): SecretHasher {
  const hmac = (pepper: string, secret: string) => createHmac('sha256', pepper).update(secret).digest();
  return {
    hash: (secret) => hmac(peppers[0], secret),
    candidates: (secret) => peppers.map((pepper) => hmac(pepper, secret)),
  };
}
