import type { Actor } from '../audit/audit-event.ts';
import type { Propagation } from '../generations/propagation.ts';
import type { ApiKeyReference } from './api-key-reference.ts';
import type { ChangeApiKeyDeps } from './changed-api-key.ts';
import { keyNotFound } from './key-not-found.ts';

export interface DeleteApiKeyInput extends ApiKeyReference {
  readonly actor: Actor;
}

/** Removes a key for ever, active or expired (contract 3.1). @throws AppError not_found */
export async function deleteApiKey(
  { keys, propagate }: ChangeApiKeyDeps,
  { actor, businessId, apiKeyId }: DeleteApiKeyInput,
): Promise<Propagation> {
  const generation = await keys.inTransaction(async (transaction) => {
    const key = await transaction.lock(businessId, apiKeyId);
    if (key === undefined) throw keyNotFound();
    await transaction.remove(apiKeyId);
    const details = { name: key.name, lastFour: key.lastFour };
    await transaction.audit({ actor, businessId, action: 'api_key.deleted', subjectId: apiKeyId, details });
    return transaction.raiseGeneration(businessId);
  });
  return propagate(businessId, generation);
}
