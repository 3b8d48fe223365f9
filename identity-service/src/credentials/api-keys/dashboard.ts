import type { Response } from 'express';
import type { RollingHourUse } from '../../traffic/usage.ts';
import { toAddressUse } from '../../traffic/usage-fields.ts';
import type { UsageReader } from '../../traffic/usage-report-store.ts';
import { withFields } from '../../web/dashboard-api/input.ts';
import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import type { SessionStore } from '../../web/sessions/store.ts';
import { accessOperations } from './access-operations.ts';
import { type ApiKey, grantedScopes } from './api-key.ts';
import { updateMemberKeyRules } from './change-member-rules.ts';
import * as specs from './dashboard-schema.ts';
import { listedRules, type MemberKeyRules } from './member-rules.ts';
import {
  type BlastRadius,
  type CreateApiKeyDeps,
  createApiKey,
  deleteApiKey,
  deleteApiKeys,
  getApiKey,
  listApiKeys,
  type RotateApiKeyDeps,
  readBlastRadius,
  rotateApiKey,
  setApiKeyLimit,
  updateApiKey,
} from './operations.ts';
import { keyRecord } from './resource.ts';
import { settingOfError } from './settings.ts';

/** Keys in a list, each with the use of its limit. */
async function listedKeys(
  usage: Pick<UsageReader, 'rollingHours'>,
  businessId: number,
  keys: readonly ApiKey[],
) {
  const ids = keys.map(({ id }) => id);
  const hours = new Map((await usage.rollingHours(businessId, ids)).map((hour) => [hour.limitId, hour]));
  return keys.map((key) => ({ ...keyRecord(key), rollingHour: rollingHourOf(key, hours.get(key.id)) }));
}

/** Key with the use of its limit and scopes. */
async function detailedKey(
  { usage, apiScopes }: Pick<ApiKeysOperationsDeps, 'usage' | 'apiScopes'>,
  key: ApiKey,
) {
  const [[hour], uses] = await Promise.all([
    usage.rollingHours(key.businessId, [key.id]),
    usage.scopeUses(key.businessId, [key.id]),
  ]);
  const lastUses = new Map(uses.map(({ scope, lastUsedAt }) => [scope, lastUsedAt]));
  const scopeUses = grantedScopes(apiScopes, key).map((scope) => ({
    scope,
    lastUsedAt: lastUses.get(scope),
  }));
  return { ...keyRecord(key), rollingHour: rollingHourOf(key, hour), scopeUses };
}

/** Use of the limit. `left` is at least 0, also after an operator lowered the limit below the use. */
function rollingHourOf({ limit }: ApiKey, hour: RollingHourUse | undefined) {
  const used = hour?.used ?? 0;
  return { limit, used, left: Math.max(0, limit - used), observedAt: hour?.observedAt };
}

interface ApiKeysOperationsDeps extends CreateApiKeyDeps, RotateApiKeyDeps {
  readonly usage: UsageReader;
  readonly sessionStore: Pick<SessionStore, 'isConfirmed'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Form fields by reason of an error. */
const fieldOf = {
  ...settingOfError,
  key_type_immutable: 'keyType',
  expiration_immutable: 'expiresAt',
  expiration_not_in_future: 'expiresAt',
  expiration_required: 'expiresAt',
  expiration_too_late: 'expiresAt',
  invalid_limit: 'limit',
};

/** Operations on the API keys of a business. */
export function apiKeysOperations(deps: ApiKeysOperationsDeps): Operation[] {
  return [
    ...readOperations(deps),
    ...changeOperations(deps),
    ...accessOperations(deps),
    ...memberRulesOperations(deps),
  ];
}

function memberRulesOperations(deps: ApiKeysOperationsDeps): Operation[] {
  const toResponse = (rules: MemberKeyRules) => {
    const { secretKeys, scopes } = listedRules(deps.apiScopes, rules);
    return { secretKeys, scopes: [...scopes] };
  };
  return [
    businessOperation(specs.getMemberKeyRules, async ({ businessId }) =>
      toResponse(await deps.keys.memberRules(businessId)),
    ),
    businessOperation(specs.updateMemberKeyRules, async ({ actor, businessId, body }) =>
      toResponse(
        await withFields({ unknown_scope: 'addedScopes' }, () =>
          updateMemberKeyRules(deps, { actor, businessId, change: body }),
        ),
      ),
    ),
  ];
}

function readOperations(deps: ApiKeysOperationsDeps): Operation[] {
  const { usage, now } = deps;
  return [
    businessOperation(specs.listApiKeys, async ({ businessId, query: { search, ...filter } }) => {
      const { apiKeys, complete } = await listApiKeys(deps, businessId, { text: search, ...filter });
      return { apiKeys: await listedKeys(usage, businessId, apiKeys), complete };
    }),
    businessOperation(specs.getApiKey, async ({ businessId, param }) =>
      detailedKey(deps, await getApiKey(deps, { businessId, apiKeyId: param('apiKeyId') })),
    ),
    businessOperation(specs.getApiKeyUsage, async ({ businessId, param, query }) => {
      const { id } = await getApiKey(deps, { businessId, apiKeyId: param('apiKeyId') });
      return { hours: await usage.perHour(businessId, query, [id]) };
    }),
    businessOperation(specs.getApiKeyBlastRadius, async ({ businessId, param }) =>
      toBlastRadiusResponse(await readBlastRadius(deps, { businessId, apiKeyId: param('apiKeyId') }, now())),
    ),
  ];
}

function changeOperations(deps: ApiKeysOperationsDeps): Operation[] {
  const isConfirmedIn = (res: Response) => deps.sessionStore.isConfirmed(res.locals.session.id);
  return [
    businessOperation(specs.createApiKey, async ({ actor, businessId, body, res }) => {
      const { keyType, expiresAt, ...settings } = body;
      const isConfirmed = keyType === 'secret' && (await isConfirmedIn(res));
      const input = { actor, businessId, settings, keyType, expiresAt: expiresAt ?? undefined, isConfirmed };
      const { key, keyString } = await withFields(fieldOf, () => createApiKey(deps, input));
      return { apiKey: keyRecord(key), keyString };
    }),
    businessOperation(specs.updateApiKey, async ({ actor, businessId, param, body }) => {
      const { keyType, expiresAt, ...settings } = body;
      const immutable = { keyTypeGiven: keyType !== undefined, expirationGiven: expiresAt !== undefined };
      const update = { settings, ...immutable };
      const input = { actor, businessId, apiKeyId: param('apiKeyId'), update };
      const { key, propagation } = await withFields(fieldOf, () => updateApiKey(deps, input));
      return { apiKey: keyRecord(key), propagation };
    }),
    businessOperation(specs.setApiKeyLimit, async ({ actor, businessId, param, body: { limit } }) => {
      const input = { actor, businessId, apiKeyId: param('apiKeyId'), limit };
      const { key, propagation } = await withFields(fieldOf, () => setApiKeyLimit(deps, input));
      return { apiKey: keyRecord(key), propagation };
    }),
    businessOperation(specs.rotateApiKey, async ({ actor, businessId, param, res }) => {
      const isConfirmed = await isConfirmedIn(res);
      const input = { actor, businessId, apiKeyId: param('apiKeyId'), isConfirmed };
      const { key, keyString, propagation } = await rotateApiKey(deps, input);
      return { apiKey: keyRecord(key), keyString, propagation };
    }),
    businessOperation(specs.deleteApiKey, async ({ actor, businessId, param }) => ({
      propagation: await deleteApiKey(deps, { actor, businessId, apiKeyId: param('apiKeyId') }),
    })),
    businessOperation(specs.deleteApiKeys, ({ actor, businessId, body: { apiKeyIds } }) =>
      deleteApiKeys(deps, { actor, businessId, apiKeyIds }),
    ),
  ];
}

/** Blast radius as the dashboard API returns it. The empty text, which stands for all others together, becomes null. */
function toBlastRadiusResponse({ addresses, endpoints, lastUsedIp, ...radius }: BlastRadius) {
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
