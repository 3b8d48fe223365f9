import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import { cutPage } from '@platform/service-kit/values/pagination.ts';
import { type Actor, type JsonObject, personOf } from '../../platform/actor.ts';
import type { Propagate, Propagation, RaisedGeneration } from '../../platform/credential-generations.ts';
import { opensWhitelist } from '../../platform/ip-whitelist.ts';
import { type ApiScopes, choosableScopes } from '../../platform/scope.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import type { AddressUse, EndpointUse, RecentCalls } from '../../traffic/usage.ts';
import type { UsageReader } from '../../traffic/usage-report-store.ts';
import { checkIdentityConfirmed } from '../../web/sessions/session.ts';
import { checkLifetime } from '../key-lifetimes/lifetime.ts';
import {
  type ApiKey,
  type ApiKeyReference,
  checkActive,
  checkLimit,
  checkUpdate,
  createSecret,
  defaultLimit,
  type KeyUpdate,
  keyNotFound,
} from './api-key.ts';
import { type KeyFilter, maxListed } from './key-filter.ts';
import { checkMayHold, checkMayOpen } from './member-rules.ts';
import {
  checkSettings,
  type KeyType,
  type NewSettings,
  type SettingsChange,
  settingNames,
} from './settings.ts';
import type { ApiKeyStore, ApiKeyTransaction } from './store.ts';

export interface CreateApiKeyDeps {
  readonly keys: ApiKeyStore;
  readonly apiScopes: ApiScopes;
  readonly hasher: SecretHasher;
  readonly businessExists: (businessId: number, requestId: string) => Promise<boolean>;
}

interface CreateApiKeyInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly settings: NewSettings;
  readonly keyType: KeyType;
  /** Milliseconds since 1970; absent for a key that never expires. */
  readonly expiresAt: number | undefined;
  /** Whether the person has just shown who they are; true for any other actor. */
  readonly isConfirmed: boolean;
}

/** Creates a key (contract 3.1). Only this result contains the key string. @throws AppError */
export async function createApiKey(
  { keys, apiScopes, hasher, businessExists }: CreateApiKeyDeps,
  input: CreateApiKeyInput,
): Promise<{ readonly key: ApiKey; readonly keyString: string }> {
  const { actor, businessId, keyType, expiresAt } = input;
  const settings = checkSettings(choosableScopes(apiScopes), keyType, input.settings);
  if (!(await businessExists(businessId, actor.requestId))) {
    throw new AppError('not_found', 'business_not_found', 'no such business');
  }
  const { keyString, stored } = createSecret(hasher, keyType);
  const id = randomHexId('key');
  const fixed = { keyType, limit: defaultLimit, expiresAt };
  const createdBy = personOf(actor);
  const key = await keys.inTransaction(async (transaction) => {
    checkMayHold(await transaction.lockRights(actor, businessId), { keyType, scopes: settings.scopes });
    if (keyType === 'secret') checkIdentityConfirmed(input.isConfirmed);
    const secret = stored;
    const created = await transaction.insert({ id, businessId, settings, secret, createdBy, ...fixed });
    checkExpiresInFuture(created);
    checkLifetime(await transaction.keyLifetime(businessId), created);
    const details = { ...settings, ...fixed, lastFour: stored.lastFour };
    await transaction.audit({ actor, businessId, action: 'api_key.created', subjectId: id, details });
    return created;
  });
  return { key, keyString };
}

/** Checked after the insert, by the database's clock; an error rolls the transaction back. */
function checkExpiresInFuture(key: ApiKey): void {
  if (key.status === 'expired') {
    throw new AppError(
      'invalid_argument',
      'expiration_not_in_future',
      'the expiration must be in the future',
    );
  }
}

export interface ChangeApiKeyDeps {
  readonly keys: ApiKeyStore;
  readonly propagate: Propagate;
}

/** A changed key, and whether gateways have confirmed. */
export interface ChangedApiKey {
  readonly key: ApiKey;
  readonly propagation: Propagation;
}

interface DeleteApiKeyInput extends ApiKeyReference {
  readonly actor: Actor;
}

/** Deletes a key permanently, active or expired (contract 3.1). @throws AppError not_found */
export async function deleteApiKey(
  { keys, propagate }: ChangeApiKeyDeps,
  { actor, businessId, apiKeyId }: DeleteApiKeyInput,
): Promise<Propagation> {
  const generation = await keys.inTransaction(async (transaction) => {
    const deletedIds = await removeKeys(transaction, { actor, businessId, apiKeyIds: [apiKeyId] });
    if (deletedIds.length === 0) throw keyNotFound();
    return transaction.raiseGeneration(businessId);
  });
  return propagate([{ businessId, generation }]);
}

interface DeleteApiKeysInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly apiKeyIds: readonly string[];
  /** Why the platform deletes a key: it revoked itself, or was reported as leaked. Undefined for people and operators. */
  readonly cause?: 'self' | 'leak';
}

/**
 * Deletes several keys in one transaction; those that no longer exist are skipped. Raises the generation even if none is
 * left, so that a client that lost the first response learns whether gateways have confirmed.
 */
export async function deleteApiKeys(
  { keys, propagate }: ChangeApiKeyDeps,
  input: DeleteApiKeysInput,
): Promise<{ readonly deletedIds: string[]; readonly propagation: Propagation }> {
  const { businessId } = input;
  const { deletedIds, generation } = await keys.inTransaction(async (transaction) => ({
    deletedIds: await removeKeys(transaction, input),
    generation: await transaction.raiseGeneration(businessId),
  }));
  return { deletedIds, propagation: await propagate([{ businessId, generation }]) };
}

/** Deletes keys, with one audit event each. Resolves to the identifiers of those that existed. */
export async function removeKeys(
  transaction: ApiKeyTransaction,
  { actor, businessId, apiKeyIds, cause }: DeleteApiKeysInput,
): Promise<string[]> {
  const removed = await transaction.remove(businessId, apiKeyIds);
  for (const { id: subjectId, ...names } of removed) {
    const details = { ...names, cause };
    await transaction.audit({ actor, businessId, action: 'api_key.deleted', subjectId, details });
  }
  return removed.map(({ id }) => id);
}

/** Lists the keys of a business that match, up to `maxListed`; `complete` is false when there are more. */
export async function listApiKeys(
  { keys }: { readonly keys: ApiKeyStore },
  businessId: number,
  filter: KeyFilter,
): Promise<{ readonly apiKeys: readonly ApiKey[]; readonly complete: boolean }> {
  const { entries, last } = cutPage(await keys.search(businessId, filter, maxListed + 1), maxListed);
  return { apiKeys: entries, complete: last === undefined };
}

/** Reads one key of a business. @throws AppError not_found */
export async function getApiKey(
  { keys }: { readonly keys: ApiKeyStore },
  { businessId, apiKeyId }: ApiKeyReference,
): Promise<ApiKey> {
  const key = await keys.find(businessId, apiKeyId);
  if (key === undefined) throw keyNotFound();
  return key;
}

export interface RotateApiKeyDeps extends ChangeApiKeyDeps {
  readonly hasher: SecretHasher;
}

interface RotateApiKeyInput extends ApiKeyReference {
  readonly actor: Actor;
  /** As in `createApiKey`. */
  readonly isConfirmed: boolean;
}

/**
 * Replaces the key string at once and keeps everything else (contract 3.1). Of concurrent rotations one wins and the
 * others are refused, so that no client receives a string that is already invalid.
 * @throws AppError conflict when the key was changed concurrently
 */
export async function rotateApiKey(
  { keys, hasher, propagate }: RotateApiKeyDeps,
  { actor, businessId, apiKeyId, isConfirmed }: RotateApiKeyInput,
): Promise<ChangedApiKey & { readonly keyString: string }> {
  const rotated = await keys.inTransaction(async (transaction) => {
    const read = await transaction.readSecret(businessId, apiKeyId);
    if (read === undefined) throw keyNotFound();
    checkActive(read.key);
    checkMayHold(await transaction.lockRights(actor, businessId), read.key);
    if (read.key.keyType === 'secret') checkIdentityConfirmed(isConfirmed);
    const { keyString, stored } = createSecret(hasher, read.key.keyType);
    const key = await transaction.replaceSecret(read, stored, personOf(actor));
    if (key === undefined) throw keyChanged();
    const { name, lastFour } = read.key;
    const details = { name, lastFour: { from: lastFour, to: stored.lastFour } };
    const event = { actor, businessId, action: 'api_key.rotated', subjectId: apiKeyId, details };
    await transaction.audit({ ...event, noticeDetails: { keyType: read.key.keyType } });
    return { key, keyString, generation: await transaction.raiseGeneration(businessId) };
  });
  const { key, keyString, generation } = rotated;
  return { key, keyString, propagation: await propagate([{ businessId, generation }]) };
}

function keyChanged(): AppError {
  return new AppError('conflict', 'api_key_changed', 'the key was changed concurrently');
}

interface SetApiKeyLimitInput extends ApiKeyReference {
  readonly actor: Actor;
  /** Requests per rolling hour. */
  readonly limit: number;
  /** For the owners, who read it in the notice. */
  readonly reason?: string;
  /** The person who gets a separate email about it, and therefore none for the notice. */
  readonly emailed?: string;
}

/** Sets the limit of requests per rolling hour (contract 8). People cannot exceed what operators granted. @throws AppError */
export async function setApiKeyLimit(
  { keys, propagate }: ChangeApiKeyDeps,
  input: SetApiKeyLimitInput,
): Promise<ChangedApiKey> {
  const { key, raised } = await keys.inTransaction((transaction) => changeApiKeyLimit(transaction, input));
  return { key, propagation: await propagate([raised]) };
}

/** Sets the limit in a transaction whose generation is propagated after it. @throws AppError */
export async function changeApiKeyLimit(
  transaction: ApiKeyTransaction,
  { actor, businessId, apiKeyId, limit, reason, emailed }: SetApiKeyLimitInput,
): Promise<{ readonly key: ApiKey; readonly raised: RaisedGeneration }> {
  const before = await transaction.lock(businessId, apiKeyId);
  if (before === undefined) throw keyNotFound();
  checkActive(before);
  const isOfPerson = actor.kind === 'person';
  checkLimit(limit, isOfPerson ? before.grantedLimit : undefined);
  const key = await transaction.setLimits(before, {
    limit,
    grantedLimit: isOfPerson ? before.grantedLimit : limit,
  });
  const details = { name: before.name, limit: { from: before.limit, to: limit }, reason };
  const event = { actor, businessId, action: 'api_key.limit_set', subjectId: apiKeyId, details, emailed };
  await transaction.audit(event);
  return { key, raised: { businessId, generation: await transaction.raiseGeneration(businessId) } };
}

export interface UpdateApiKeyDeps extends ChangeApiKeyDeps {
  readonly apiScopes: ApiScopes;
}

interface UpdateApiKeyInput extends ApiKeyReference {
  readonly actor: Actor;
  /** Or the update that follows from the key as it is. */
  readonly update: KeyUpdate | ((key: ApiKey) => KeyUpdate);
}

/**
 * Changes settings; scopes for restricted keys only. A change with scopes or addresses raises the generation even when they
 * stay the same, so that a client that lost the first response learns whether gateways have confirmed.
 * @throws AppError
 */
export async function updateApiKey(
  { keys, propagate, apiScopes }: UpdateApiKeyDeps,
  { actor, businessId, apiKeyId, update }: UpdateApiKeyInput,
): Promise<ChangedApiKey> {
  const { key, generation } = await keys.inTransaction(async (transaction) => {
    // Locked before the key, in the same order as the removal of a member.
    const rights = await transaction.lockRights(actor, businessId);
    const before = await transaction.lock(businessId, apiKeyId);
    if (before === undefined) throw keyNotFound();
    const { change, touchesAccess } = checkUpdate(
      apiScopes,
      before,
      typeof update === 'function' ? update(before) : update,
    );
    const added = change.scopes?.filter((scope) => !before.scopes.includes(scope)) ?? [];
    if (added.length > 0) checkMayHold(rights, { keyType: before.keyType, scopes: added });
    const opened = change.ipWhitelist !== undefined && opensWhitelist(before.ipWhitelist, change.ipWhitelist);
    if (opened) checkMayOpen(rights, before);
    const after = await transaction.setFields(before, change);
    const details = { name: before.name, ...changedFields(before, change) };
    const event = { actor, businessId, action: 'api_key.updated', subjectId: apiKeyId, details };
    await transaction.audit({ ...event, noticeDetails: { opened } });
    const raised = touchesAccess ? await transaction.raiseGeneration(businessId) : undefined;
    return { key: after, generation: raised };
  });
  return {
    key,
    propagation: generation === undefined ? 'confirmed' : await propagate([{ businessId, generation }]),
  };
}

function changedFields(before: ApiKey, change: SettingsChange): JsonObject {
  const changed = settingNames.filter(
    (field) => change[field] !== undefined && String(before[field]) !== String(change[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: change[field] }]));
}

const hourMs = 3_600_000;

interface BlastRadiusDeps {
  readonly keys: ApiKeyStore;
  readonly usage: Pick<UsageReader, 'recentCalls' | 'addresses' | 'endpoints'>;
}

/** Recent use of a key: what would break if it stopped working. */
export interface BlastRadius {
  readonly calls: RecentCalls;
  /** Start of addresses and endpoints: the start of the hour 24 hours ago, or the key's creation; milliseconds since 1970. */
  readonly since: number;
  readonly addresses: readonly AddressUse[];
  readonly endpoints: readonly EndpointUse[];
  readonly lastUsedAt: number | undefined;
  readonly lastUsedIp: string | undefined;
}

/** Reads the recent use of a key. @throws AppError not_found */
export async function readBlastRadius(
  { keys, usage }: BlastRadiusDeps,
  { businessId, apiKeyId }: ApiKeyReference,
  now: number,
): Promise<BlastRadius> {
  const { createdAt, lastUsedAt, lastUsedIp } = await getApiKey({ keys }, { businessId, apiKeyId });
  const dayAgo = now - 24 * hourMs;
  const since = dayAgo - (dayAgo % hourMs);
  const [calls, addresses, endpoints] = await Promise.all([
    usage.recentCalls(businessId, apiKeyId),
    usage.addresses(businessId, [apiKeyId], since),
    usage.endpoints(businessId, [apiKeyId], since),
  ]);
  return { calls, since: Math.max(since, createdAt), addresses, endpoints, lastUsedAt, lastUsedIp };
}
