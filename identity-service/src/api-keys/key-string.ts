import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { KeyType } from './api-key.ts';

const prefixes: Readonly<Record<KeyType, string>> = { secret: 'sk', restricted: 'rk' };

/** A new key string (contract 5.3). */
export function createKeyString(keyType: KeyType): string {
  return createCheckedToken(prefixes[keyType]);
}
