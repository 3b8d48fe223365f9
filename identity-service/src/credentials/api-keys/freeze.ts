import { AppError } from '@platform/service-kit/values/app-error.ts';
import { type Actor, personOf } from '../../platform/actor.ts';
import type { RaisedGeneration } from '../../platform/credential-generations.ts';
import { checkReason, maxOperatorReason } from '../../platform/reason.ts';
import { type ApiKey, type ApiKeyReference, keyNotFound } from './api-key.ts';
import { checkMayHold } from './member-rules.ts';
import type { ChangeApiKeyDeps, ChangedApiKey } from './operations.ts';
import type { ApiKeyTransaction } from './store.ts';

interface KeyFreezeChange extends ApiKeyReference {
  /** Any actor that may delete the key, to freeze it. */
  readonly actor: Actor;
  /**
   * Why the key is frozen: one line, for the audit log and the team; may be empty. Undefined lifts the freeze.
   */
  readonly reason: string | undefined;
  /** Refuses a repetition, whose reason would be lost. */
  readonly mustChange?: boolean;
}

/**
 * Freezes a key in a transaction whose generation is propagated after it, or lifts its freeze. A key that is frozen already
 * keeps its first freeze. Lifting one needs the right to create such a key.
 * @throws AppError invalid_argument, not_found, permission_denied, freeze_unchanged
 */
export async function changeKeyFreeze(
  transaction: ApiKeyTransaction,
  { actor, businessId, apiKeyId, reason: submitted, mustChange = false }: KeyFreezeChange,
): Promise<{ readonly key: ApiKey; readonly raised: RaisedGeneration }> {
  const isOfPerson = actor.kind === 'person';
  const reason =
    submitted === undefined ? undefined : checkReason(submitted, isOfPerson ? undefined : maxOperatorReason);
  // Locked before the key, in the same order as the removal of a member.
  const rights = reason === undefined ? await transaction.lockRights(actor, businessId) : undefined;
  const before = await transaction.lock(businessId, apiKeyId);
  if (before === undefined) throw keyNotFound();
  if (reason === undefined) checkMayHold(rights, before);
  const isChange = (before.freeze === undefined) !== (reason === undefined);
  if (!isChange && mustChange) throw freezeUnchanged(before);
  const key = isChange ? await changeFreeze(transaction, before, actor, reason) : before;
  return { key, raised: { businessId, generation: await transaction.raiseGeneration(businessId) } };
}

async function changeFreeze(
  transaction: ApiKeyTransaction,
  before: ApiKey,
  actor: Actor,
  reason: string | undefined,
): Promise<ApiKey> {
  const { businessId, id: subjectId, name, lastFour } = before;
  const freeze = reason === undefined ? undefined : { personId: personOf(actor), reason };
  const key = await transaction.setFreeze(before, freeze);
  const action = reason === undefined ? 'api_key.unfrozen' : 'api_key.frozen';
  const details = { name, lastFour, reason: (reason ?? before.freeze?.reason) || undefined };
  await transaction.audit({ actor, businessId, action, subjectId, details });
  return key;
}

function freezeUnchanged({ freeze }: ApiKey): AppError {
  const text = freeze === undefined ? 'the key is not frozen' : 'the key is already frozen: its reason stays';
  return new AppError('failed_precondition', 'freeze_unchanged', text);
}

/**
 * Freezes a key: gateways refuse its requests, and it keeps its string, scopes and limit. Repeating it publishes the
 * generation again, so that a client that lost the first response learns whether gateways have confirmed.
 * @throws AppError as `changeKeyFreeze`
 */
export function freezeApiKey(
  deps: ChangeApiKeyDeps,
  input: KeyFreezeChange & { readonly reason: string },
): Promise<ChangedApiKey> {
  return applyFreeze(deps, input);
}

/** Lifts the freeze of a key. Without one, publishes the generation again. @throws AppError as `changeKeyFreeze` */
export function liftKeyFreeze(
  deps: ChangeApiKeyDeps,
  input: Omit<KeyFreezeChange, 'reason'>,
): Promise<ChangedApiKey> {
  return applyFreeze(deps, { ...input, reason: undefined });
}

async function applyFreeze(
  { keys, propagate }: ChangeApiKeyDeps,
  change: KeyFreezeChange,
): Promise<ChangedApiKey> {
  const { key, raised } = await keys.inTransaction((transaction) => changeKeyFreeze(transaction, change));
  return { key, propagation: await propagate([raised]) };
}
