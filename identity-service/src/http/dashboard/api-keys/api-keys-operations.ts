import { type BlastRadius, readBlastRadius } from '../../../api-keys/blast-radius.ts';
import { type CreateApiKeyDeps, createApiKey } from '../../../api-keys/create-api-key.ts';
import { deleteApiKey } from '../../../api-keys/delete-api-key.ts';
import { getApiKey } from '../../../api-keys/get-api-key.ts';
import { type RotateApiKeyDeps, rotateApiKey } from '../../../api-keys/rotate-api-key.ts';
import { updateApiKey } from '../../../api-keys/update-api-key.ts';
import type { UsageReader } from '../../../usage/usage-reader.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { toAddressUse } from '../traffic.ts';
import { withFields } from '../with-fields.ts';
import { detailedKey, keyRecord, listedKeys } from './api-key-answer.ts';
import * as specs from './api-keys-specs.ts';

export interface ApiKeysOperationsDeps extends CreateApiKeyDeps, RotateApiKeyDeps {
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
