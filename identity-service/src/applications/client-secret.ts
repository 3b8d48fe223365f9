import { randomBytes } from 'node:crypto';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import type { NewClientSecret } from './application-store.ts';

/** A new client secret: the string to show once, and what is kept of it. */
export function createClientSecret(hasher: Pick<SecretHasher, 'hash'>): {
  readonly clientSecret: string;
  readonly stored: NewClientSecret;
} {
  const clientSecret = createCheckedToken('cs');
  const id = `sec_${randomBytes(12).toString('hex')}`;
  return { clientSecret, stored: { id, hash: hasher.hash(clientSecret), lastFour: clientSecret.slice(-4) } };
}
