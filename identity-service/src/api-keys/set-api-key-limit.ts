import type { Actor } from '../audit/audit-event.ts';
import type { ApiKeyReference } from './api-key-reference.ts';
import type { ChangeApiKeyDeps, ChangedApiKey } from './changed-api-key.ts';
import { checkLimit } from './key-limit.ts';
import { keyNotFound } from './key-not-found.ts';
import { checkActive } from './key-update.ts';

export interface SetApiKeyLimitInput extends ApiKeyReference {
  readonly actor: Actor;
  /** Requests per rolling hour. */
  readonly limit: number;
}

/** Sets how many requests any rolling hour admits (contract 8). @throws AppError */
export async function setApiKeyLimit(
  { keys, propagate }: ChangeApiKeyDeps,
  { actor, businessId, apiKeyId, limit }: SetApiKeyLimitInput,
): Promise<ChangedApiKey> {
  checkLimit(limit);
  const { key, generation } = await keys.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, apiKeyId);
    if (before === undefined) throw keyNotFound();
    checkActive(before);
    const after = await transaction.setLimit(apiKeyId, limit);
    const details = { name: before.name, limit: { from: before.limit, to: limit } };
    await transaction.audit({ actor, businessId, action: 'api_key.limit_set', subjectId: apiKeyId, details });
    return { key: after, generation: await transaction.raiseGeneration(businessId) };
  });
  return { key, propagation: await propagate(businessId, generation) };
}
