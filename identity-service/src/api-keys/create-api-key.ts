import { randomBytes } from 'node:crypto';
import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import { checkName } from '../name.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import type { ApiKey, KeyType } from './api-key.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { checkDescription } from './key-label.ts';
import { defaultLimit } from './key-limit.ts';
import { checkScopes } from './key-scopes.ts';
import { createSecret } from './new-secret.ts';

export interface CreateApiKeyDeps {
  readonly keys: ApiKeyStore;
  readonly hasher: SecretHasher;
  readonly businessExists: (businessId: number, requestId: string) => Promise<boolean>;
}

export interface CreateApiKeyInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly name: string;
  readonly description: string;
  readonly keyType: KeyType;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970; absent for a key that never expires. */
  readonly expiresAt: number | undefined;
}

/** Makes a key (contract 3.1). The key string is in this answer and nowhere else. @throws AppError */
export async function createApiKey(
  { keys, hasher, businessExists }: CreateApiKeyDeps,
  input: CreateApiKeyInput,
): Promise<{ readonly key: ApiKey; readonly keyString: string }> {
  const { actor, businessId, keyType, expiresAt } = input;
  const name = checkName(input.name);
  const description = checkDescription(input.description);
  const scopes = checkScopes(keyType, input.scopes);
  if (!(await businessExists(businessId, actor.requestId))) {
    throw new AppError('not_found', 'business_not_found', 'no such business');
  }
  const { keyString, stored } = createSecret(hasher, keyType);
  const id = `key_${randomBytes(12).toString('hex')}`;
  const settings = { name, description, keyType, scopes, limit: defaultLimit, expiresAt };
  const key = await keys.inTransaction(async (transaction) => {
    const created = await transaction.insert({ id, businessId, secret: stored, ...settings });
    checkNotBornExpired(created);
    const details = { ...settings, lastFour: stored.lastFour };
    await transaction.audit({ actor, businessId, action: 'api_key.created', subjectId: id, details });
    return created;
  });
  return { key, keyString };
}

/** Judged after the insert, because only the database's clock counts; the transaction takes it back. */
function checkNotBornExpired(key: ApiKey): void {
  if (key.status === 'expired') {
    throw new AppError(
      'invalid_argument',
      'expiration_not_in_future',
      'the expiration must be in the future',
    );
  }
}
