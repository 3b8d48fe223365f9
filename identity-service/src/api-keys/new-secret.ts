import type { SecretHasher } from '../secrets/secret-hasher.ts';
import type { KeyType } from './api-key.ts';
import type { StoredSecret } from './api-key-store.ts';

/** Contract 5.3. */
const prefixes = { secret: 'sk', restricted: 'rk' } as const satisfies Record<KeyType, string>;

/** A new key string and what is kept of it. */
export function createSecret(
  hasher: SecretHasher,
  keyType: KeyType,
): { readonly keyString: string; readonly stored: StoredSecret } {
  const keyString = hasher.createCredential(prefixes[keyType]);
  return { keyString, stored: { hash: hasher.hash(keyString), lastFour: keyString.slice(-4) } };
}
