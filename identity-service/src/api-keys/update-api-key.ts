import type { Actor } from '../audit/audit-event.ts';
import type { ApiKey } from './api-key.ts';
import type { ApiKeyReference } from './api-key-reference.ts';
import type { ChangeApiKeyDeps, ChangedApiKey } from './changed-api-key.ts';
import { keyNotFound } from './key-not-found.ts';
import { type AllowedUpdate, checkUpdate, type KeyUpdate } from './key-update.ts';

export interface UpdateApiKeyInput extends ApiKeyReference {
  readonly actor: Actor;
  readonly update: KeyUpdate;
}

/**
 * Changes name, description and, for restricted keys, scopes. Naming the scopes raises the generation even when they
 * stay the same: whoever repeats a change whose answer got lost has to hear whether gateways know.
 * @throws AppError
 */
export async function updateApiKey(
  { keys, propagate }: ChangeApiKeyDeps,
  { actor, businessId, apiKeyId, update }: UpdateApiKeyInput,
): Promise<ChangedApiKey> {
  const { key, generation } = await keys.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, apiKeyId);
    if (before === undefined) throw keyNotFound();
    const allowed = checkUpdate(before, update);
    const after = await transaction.setFields(apiKeyId, allowed);
    const details = { name: before.name, ...changedFields(before, allowed) };
    await transaction.audit({ actor, businessId, action: 'api_key.updated', subjectId: apiKeyId, details });
    const raised = allowed.touchesAccess ? await transaction.raiseGeneration(businessId) : undefined;
    return { key: after, generation: raised };
  });
  return {
    key,
    propagation: generation === undefined ? 'confirmed' : await propagate(businessId, generation),
  };
}

function changedFields(before: ApiKey, after: AllowedUpdate): Record<string, unknown> {
  const fields = ['name', 'description', 'scopes'] as const;
  const changed = fields.filter((field) => String(before[field]) !== String(after[field]));
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}
