import { z } from 'zod';
import { addressUse, hourlySpan, usageHour } from '../../traffic/usage-fields.ts';
import {
  givenInstant,
  instant,
  instantOrNull,
  propagation,
  scopeSchema,
} from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { filteredStatuses, keySorts, maxListed } from './key-filter.ts';
import { optionalSettings, settingsInput } from './settings.ts';

const requests = z.int().min(0);

const rollingHour = z
  .object({
    limit: requests.describe('Requests per rolling hour.'),
    used: requests.describe('Requests in the current rolling hour.'),
    left: requests,
    observedAt: instantOrNull.describe('When it was observed; null without a request in the last hour.'),
  })
  .meta({ id: 'RollingHour' });

/** As the form offers them: scopes are chosen, not typed. */
const settings = { ...settingsInput, scopes: z.array(scopeSchema) };

const keyPerson = z
  .object({
    personId: z.string(),
    name: z.string(),
    isMember: z.boolean().describe('Whether the person still belongs to the team.'),
  })
  .meta({ id: 'ApiKeyPerson' });

const keyFields = {
  id: z.string(),
  ...settings,
  scopes: settings.scopes.describe('Sorted; empty for a secret key, which has every scope.'),
  keyType: z.enum(['secret', 'restricted']).meta({ id: 'ApiKeyType' }),
  status: z.enum(['active', 'expired']),
  lastFour: z.string().describe('Last four characters of the key string.'),
  createdAt: instant,
  expiresAt: instantOrNull.describe('null for a key that never expires.'),
  expiresSoon: z.boolean().describe('Active, and expires within two weeks.'),
  rotatedAt: instantOrNull,
  lastUsedAt: instantOrNull,
  lastUsedIp: z.string().nullable(),
  createdBy: keyPerson.nullable().describe('null for an operator, and when the account was deleted.'),
  secretSeenBy: keyPerson
    .nullable()
    .describe('To whom the present key string was shown, by its creation or last rotation; null as above.'),
  freeze: z
    .object({
      frozenAt: instant,
      reason: z.string().describe('May be empty.'),
      frozenBy: z
        .object({ personId: z.string(), name: z.string().describe('Empty when the account was deleted.') })
        .nullable()
        .describe('null when the platform or one of its operators did.'),
    })
    .nullable()
    .describe('Why requests of the key are refused; null unless it is frozen.')
    .meta({ id: 'ApiKeyFreeze' }),
};

/** Key in the response to a change. */
export const apiKeyRecord = z.object(keyFields).meta({ id: 'ApiKeyRecord' });

const apiKey = z.object({ ...keyFields, rollingHour }).meta({ id: 'ApiKey' });

const apiKeyDetail = z
  .object({
    ...keyFields,
    rollingHour,
    grantedLimit: requests.describe('The highest limit that owners can set: what operators granted.'),
    scopeUses: z
      .array(z.object({ scope: scopeSchema, lastUsedAt: instantOrNull }).meta({ id: 'ApiKeyScopeUse' }))
      .describe('Scopes of the key and their last successful use; null for never.'),
  })
  .meta({ id: 'ApiKeyDetail' });

const keyString = z.string().describe('The key string. Returned only in this response.');

const endpointUse = z
  .object({
    method: z.string().nullable().describe('null when the path does not support the method.'),
    route: z
      .string()
      .nullable()
      .describe('Such as `/v2/order/{id}`; `none` for unknown paths, null for all others together.'),
    requests,
  })
  .meta({ id: 'EndpointUse' });

const blastRadius = z
  .object({
    calls: z.object({ lastHour: requests, lastDay: requests }),
    since: instant.describe(
      'Start of addresses and endpoints: the start of the hour 24 hours ago, or the creation of the key.',
    ),
    addresses: z.array(addressUse).describe('Most used first; 100 at most.'),
    endpoints: z.array(endpointUse).describe('Most used first; 100 at most.'),
    lastUsedAt: instantOrNull,
    lastUsedIp: z.string().nullable(),
  })
  .meta({ id: 'BlastRadius' });

const collection = '/businesses/{businessId}/api-keys';

/** Of a query for keys. */
export const keySearch = z
  .string()
  .trim()
  .max(200)
  .default('')
  .describe('Part of the name, the description or the last four characters.');

/** Of a response with keys. */
export const complete = z
  .boolean()
  .describe(`false when more than ${maxListed} match: the others are left out.`);

/** Path of one key. */
export const item = '/businesses/{businessId}/api-keys/{apiKeyId}';

export const listApiKeys = declare({
  id: 'listApiKeys',
  method: 'GET',
  path: collection,
  summary: 'The API keys of a business.',
  query: z.strictObject({
    search: keySearch,
    keyType: z.enum(['secret', 'restricted'], 'must be secret or restricted').optional(),
    status: z
      .enum(filteredStatuses, `must be one of ${filteredStatuses.join(', ')}`)
      .optional()
      .describe('`soon`: active, and expires within two weeks; `frozen`: active, but refused.'),
    sort: z
      .enum(keySorts, `must be one of ${keySorts.join(', ')}`)
      .optional()
      .describe('Newest first where absent; the last used and the first to expire first, never last.'),
  }),
  body: noBody,
  response: z.object({ apiKeys: z.array(apiKey), complete }),
});

/** Keys that one request deletes at most. */
const maxDeleted = 100;

export const deleteApiKeys = declare({
  id: 'deleteApiKeys',
  method: 'DELETE',
  path: collection,
  summary: 'Deletes API keys permanently: all of them, or none. One that is gone already is no error.',
  query: none,
  body: z.strictObject({
    apiKeyIds: z
      .array(z.string().regex(/^[\w-]{1,64}$/, 'must be the identifier of an API key'))
      .min(1, 'must not be empty')
      .max(maxDeleted, `must be at most ${maxDeleted} keys`),
  }),
  response: z.object({
    deletedIds: z.array(z.string()).describe('Those that there were.'),
    propagation,
  }),
});

export const createApiKey = declare({
  id: 'createApiKey',
  method: 'POST',
  path: collection,
  summary: 'Creates an API key. Only this response contains its string.',
  query: none,
  body: z.strictObject({
    ...settings,
    ...optionalSettings,
    scopes: settings.scopes.default([]).describe('One or more for a restricted key, none for a secret one.'),
    keyType: z.enum(['secret', 'restricted']),
    expiresAt: givenInstant.nullable().default(null).describe('null for a key that never expires.'),
  }),
  status: 201,
  response: z.object({ apiKey: apiKeyRecord, keyString }),
});

export const getApiKey = declare({
  id: 'getApiKey',
  method: 'GET',
  path: item,
  summary: 'One API key, with the last use of its scopes.',
  query: none,
  body: noBody,
  response: apiKeyDetail,
});

export const updateApiKey = declare({
  id: 'updateApiKey',
  method: 'PATCH',
  path: item,
  summary: 'Changes name, description and IP whitelist, and the scopes of a restricted key.',
  query: none,
  body: z.strictObject({
    ...z.object(settings).partial().shape,
    keyType: z.unknown().optional().describe('Refused: it cannot be changed.'),
    expiresAt: z.unknown().optional().describe('Refused: it cannot be changed.'),
  }),
  response: z.object({ apiKey: apiKeyRecord, propagation }),
});

export const setApiKeyLimit = declare({
  id: 'setApiKeyLimit',
  method: 'PUT',
  path: `${item}/limit`,
  role: 'owner',
  summary: 'Sets how many requests the key may make in any hour, up to what operators granted.',
  query: none,
  body: z.strictObject({ limit: z.int('must be a whole number') }),
  response: z.object({ apiKey: apiKeyRecord, propagation }),
});

export const rotateApiKey = declare({
  id: 'rotateApiKey',
  method: 'POST',
  path: `${item}/rotate`,
  summary: 'Replaces the key string at once. Only this response contains the new one.',
  query: none,
  body: noBody,
  response: z.object({ apiKey: apiKeyRecord, keyString, propagation }),
});

export const deleteApiKey = declare({
  id: 'deleteApiKey',
  method: 'DELETE',
  path: item,
  summary: 'Deletes an API key permanently.',
  query: none,
  body: noBody,
  response: z.object({ propagation }),
});

export const getApiKeyUsage = declare({
  id: 'getApiKeyUsage',
  method: 'GET',
  path: `${item}/usage`,
  summary: 'Responses to an API key by hour, over at most 90 days.',
  query: hourlySpan,
  body: noBody,
  response: z.object({
    hours: z.array(usageHour).describe('Oldest first; hours without a request are left out.'),
  }),
});

export const getApiKeyBlastRadius = declare({
  id: 'getApiKeyBlastRadius',
  method: 'GET',
  path: `${item}/blast-radius`,
  summary: 'Recent use of an API key: what would break if it stopped working.',
  query: none,
  body: noBody,
  response: blastRadius,
});

const memberRulesPath = '/businesses/{businessId}/member-key-rules';

const memberRules = {
  secretKeys: z
    .boolean()
    .describe('Whether they may create and rotate secret keys, and with them keys of any scope.'),
  scopes: z.array(scopeSchema).describe('Scopes that they may give to restricted keys.'),
};

const memberRulesRecord = z.object(memberRules).meta({ id: 'MemberKeyRules' });

export const getMemberKeyRules = declare({
  id: 'getMemberKeyRules',
  method: 'GET',
  path: memberRulesPath,
  summary: 'What developers may do with API keys.',
  query: none,
  body: noBody,
  response: memberRulesRecord,
});

export const updateMemberKeyRules = declare({
  id: 'updateMemberKeyRules',
  method: 'PATCH',
  path: memberRulesPath,
  role: 'owner',
  summary: 'Changes what developers may do with API keys; existing keys stay.',
  query: none,
  body: z.strictObject({
    secretKeys: memberRules.secretKeys.optional(),
    addedScopes: z.array(scopeSchema).default([]).describe('Scopes that they may give from now on.'),
    removedScopes: z.array(scopeSchema).default([]).describe('Scopes that they may no longer give.'),
  }),
  response: memberRulesRecord,
});

export const apiKeysSpecs = [
  getMemberKeyRules,
  updateMemberKeyRules,
  listApiKeys,
  createApiKey,
  getApiKey,
  updateApiKey,
  setApiKeyLimit,
  rotateApiKey,
  deleteApiKey,
  deleteApiKeys,
  getApiKeyUsage,
  getApiKeyBlastRadius,
];
