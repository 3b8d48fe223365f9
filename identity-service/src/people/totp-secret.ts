import type { Sealer } from '../secrets/sealer.ts';
import type { PersonWithSecrets } from './person.ts';

/** Seals a person's secret, so that it opens for this person only. */
export function sealTotpSecret(sealer: Sealer, personId: string, secret: string): Buffer<ArrayBuffer> {
  return sealer.seal(secret, `totp:${personId}`);
}

/** The secret of a person who has one. @throws Error when no key opens it: ENCRYPTION_KEYS has lost one */
export function openTotpSecret(sealer: Sealer, { id, totpSecret }: PersonWithSecrets): string {
  const secret = totpSecret && sealer.open(totpSecret, `totp:${id}`);
  if (secret === undefined)
    throw new Error('a second factor cannot be opened: is a key of ENCRYPTION_KEYS missing?');
  return secret;
}
