import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import type { ApiKeyReference } from './api-key-reference.ts';
import type { ChangeApiKeyDeps, ChangedApiKey } from './changed-api-key.ts';
import { keyNotFound } from './key-not-found.ts';
import { checkActive } from './key-update.ts';
import { createSecret } from './new-secret.ts';

export interface RotateApiKeyDeps extends ChangeApiKeyDeps {
  readonly hasher: SecretHasher;
}

export interface RotateApiKeyInput extends ApiKeyReference {
  readonly actor: Actor;
}

/**
 * Replaces the key string at once and keeps everything else (contract 3.1). Of rotations that overlap one wins; the
 * others are refused, so that nobody is handed a string that is dead already.
 * @throws AppError conflict when the key changed meanwhile
 */
export async function rotateApiKey(
  { keys, hasher, propagate }: RotateApiKeyDeps,
  { actor, businessId, apiKeyId }: RotateApiKeyInput,
): Promise<ChangedApiKey & { readonly keyString: string }> {
  const rotated = await keys.inTransaction(async (transaction) => {
    const read = await transaction.readSecret(businessId, apiKeyId);
    if (read === undefined) throw keyNotFound();
    checkActive(read.key);
    const { keyString, stored } = createSecret(hasher, read.key.keyType);
    const key = await transaction.replaceSecret(read, stored);
    if (key === undefined) throw changedMeanwhile();
    const { name, lastFour } = read.key;
    const details = { name, lastFour: { from: lastFour, to: stored.lastFour } };
    await transaction.audit({ actor, businessId, action: 'api_key.rotated', subjectId: apiKeyId, details });
    return { key, keyString, generation: await transaction.raiseGeneration(businessId) };
  });
  const { key, keyString, generation } = rotated;
  return { key, keyString, propagation: await propagate(businessId, generation) };
}

function changedMeanwhile(): AppError {
  return new AppError('conflict', 'api_key_changed', 'the key was changed by someone else at the same time');
}
