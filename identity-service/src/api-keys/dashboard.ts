import { toAddressUse } from '../traffic/dashboard.ts';
import type { RollingHourUse } from '../traffic/usage.ts';
import type { UsageReader } from '../traffic/usage-report-store.ts';
import { withFields } from '../web/dashboard-api/input.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { type ApiKey, grantedScopes } from './api-key.ts';
import * as specs from './dashboard-schema.ts';
import {
  type BlastRadius,
  type CreateApiKeyDeps,
  createApiKey,
  deleteApiKey,
  getApiKey,
  type RotateApiKeyDeps,
  readBlastRadius,
  rotateApiKey,
  updateApiKey,
} from './operations.ts';

/** Keys as lists show them, each with its rolling hour. */
async function listedKeys(
  usage: Pick<UsageReader, 'rollingHours'>,
  businessId: number,
  keys: readonly ApiKey[],
) {
  const ids = keys.map(({ id }) => id);
  const hours = new Map((await usage.rollingHours(businessId, ids)).map((hour) => [hour.limitId, hour]));
  return keys.map((key) => ({ ...keyRecord(key), rollingHour: rollingHourOf(key, hours.get(key.id)) }));
}

/** A key as its own page shows it. */
async function detailedKey(usage: Pick<UsageReader, 'rollingHours' | 'scopeUses'>, key: ApiKey) {
  const [[hour], uses] = await Promise.all([
    usage.rollingHours(key.businessId, [key.id]),
    usage.scopeUses(key.businessId, [key.id]),
  ]);
  const lastUses = new Map(uses.map(({ scope, lastUsedAt }) => [scope, lastUsedAt]));
  const scopeUses = grantedScopes(key).map((scope) => ({ scope, lastUsedAt: lastUses.get(scope) }));
  return { ...keyRecord(key), rollingHour: rollingHourOf(key, hour), scopeUses };
}

/** A key by itself. */
function keyRecord(key: ApiKey) {
  return { ...key, scopes: [...key.scopes], lastUsedIp: key.lastUsedIp ?? null };
}

/** An operator may have lowered the limit below what was used already. */
function rollingHourOf({ limit }: ApiKey, hour: RollingHourUse | undefined) {
  const used = hour?.used ?? 0;
  return { limit, used, left: Math.max(0, limit - used), observedAt: hour?.observedAt };
}

interface ApiKeysOperationsDeps extends CreateApiKeyDeps, RotateApiKeyDeps {
  readonly usage: UsageReader;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Field of the form by the reason of a refusal. */
const fieldOf = {
  invalid_name: 'name',
  invalid_description: 'description',
  scopes_not_allowed: 'scopes',
  scopes_required: 'scopes',
  duplicate_scope: 'scopes',
  scopes_immutable: 'scopes',
  key_type_immutable: 'keyType',
  expiration_immutable: 'expiresAt',
  expiration_not_in_future: 'expiresAt',
};

export function apiKeysOperations(deps: ApiKeysOperationsDeps): Operation[] {
  return [...readingOperations(deps), ...changingOperations(deps)];
}

function readingOperations(deps: ApiKeysOperationsDeps): Operation[] {
  const { keys, usage, now } = deps;
  return [
    businessOperation(specs.listApiKeys, async ({ businessId }) => {
      const found = await keys.list(businessId, specs.maxListed + 1);
      const shown = found.slice(0, specs.maxListed);
      return {
        apiKeys: await listedKeys(usage, businessId, shown),
        complete: shown.length === found.length,
      };
    }),
    businessOperation(specs.getApiKey, async ({ businessId, param }) =>
      detailedKey(usage, await getApiKey(deps, { businessId, apiKeyId: param('apiKeyId') })),
    ),
    businessOperation(specs.getApiKeyUsage, async ({ businessId, param, query }) => {
      const { id } = await getApiKey(deps, { businessId, apiKeyId: param('apiKeyId') });
      return { hours: await usage.perHour(businessId, query, [id]) };
    }),
    businessOperation(specs.getApiKeyBlastRadius, async ({ businessId, param }) =>
      toAnswer(await readBlastRadius(deps, { businessId, apiKeyId: param('apiKeyId') }, now())),
    ),
  ];
}

function changingOperations(deps: ApiKeysOperationsDeps): Operation[] {
  return [
    businessOperation(specs.createApiKey, async ({ actor, businessId, body }) => {
      const input = { ...body, actor, businessId, expiresAt: body.expiresAt ?? undefined };
      const { key, keyString } = await withFields(fieldOf, () => createApiKey(deps, input));
      return { apiKey: keyRecord(key), keyString };
    }),
    businessOperation(specs.updateApiKey, async ({ actor, businessId, param, body }) => {
      const { keyType, expiresAt, ...changes } = body;
      const given = { keyTypeGiven: keyType !== undefined, expirationGiven: expiresAt !== undefined };
      const update = { ...changes, ...given };
      const input = { actor, businessId, apiKeyId: param('apiKeyId'), update };
      const { key, propagation } = await withFields(fieldOf, () => updateApiKey(deps, input));
      return { apiKey: keyRecord(key), propagation };
    }),
    businessOperation(specs.rotateApiKey, async ({ actor, businessId, param }) => {
      const input = { actor, businessId, apiKeyId: param('apiKeyId') };
      const { key, keyString, propagation } = await rotateApiKey(deps, input);
      return { apiKey: keyRecord(key), keyString, propagation };
    }),
    businessOperation(specs.deleteApiKey, async ({ actor, businessId, param }) => ({
      propagation: await deleteApiKey(deps, { actor, businessId, apiKeyId: param('apiKeyId') }),
    })),
  ];
}

/** What gateways did not tell apart stands under an empty text. */
function toAnswer({ addresses, endpoints, lastUsedIp, ...radius }: BlastRadius) {
  return {
    ...radius,
    lastUsedIp: lastUsedIp ?? null,
    addresses: addresses.map(toAddressUse),
    endpoints: endpoints.map(({ method, route, requests }) => ({
      method: method || null,
      route: route || null,
      requests,
    })),
  };
}
