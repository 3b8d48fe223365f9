import { z } from 'zod';
import { scopeSchema } from '../businesses/dashboard-schema.ts';
import { addressUse, hourlySpan, usageHour } from '../traffic/dashboard.ts';
import { givenInstant, instant, instantOrNull, propagation } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';

const requests = z.int().min(0);

const rollingHour = z
  .object({
    limit: requests.describe('Requests that any rolling hour admits.'),
    used: requests.describe('Requests that are counted in the hour now.'),
    left: requests,
    observedAt: instantOrNull.describe('When that was seen; null when no request came in the last hour.'),
  })
  .meta({ id: 'RollingHour' });

const keyFields = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  keyType: z.enum(['secret', 'restricted']).meta({ id: 'ApiKeyType' }),
  scopes: z.array(scopeSchema).describe('Sorted; empty for a secret key, which may do everything.'),
  status: z.enum(['active', 'expired']),
  lastFour: z.string().describe('The last characters of the key string.'),
  createdAt: instant,
  expiresAt: instantOrNull.describe('null for a key that never expires.'),
  rotatedAt: instantOrNull,
  lastUsedAt: instantOrNull,
  lastUsedIp: z.string().nullable(),
};

/** A key by itself: what a change answers, so that nothing has to be read after it. */
const apiKeyRecord = z.object(keyFields).meta({ id: 'ApiKeyRecord' });

const apiKey = z.object({ ...keyFields, rollingHour }).meta({ id: 'ApiKey' });

const apiKeyDetail = z
  .object({
    ...keyFields,
    rollingHour,
    scopeUses: z
      .array(z.object({ scope: scopeSchema, lastUsedAt: instantOrNull }).meta({ id: 'ApiKeyScopeUse' }))
      .describe('What the key may do, and when a request last did it with success; null for never.'),
  })
  .meta({ id: 'ApiKeyDetail' });

const keyString = z.string().describe('The key itself; in this answer and never again.');

const endpointUse = z
  .object({
    method: z.string().nullable().describe('null where the path does not have the method.'),
    route: z
      .string()
      .nullable()
      .describe('As `/v2/order/{id}`; `none` for paths that do not exist, null for all others together.'),
    requests,
  })
  .meta({ id: 'EndpointUse' });

const blastRadius = z
  .object({
    calls: z.object({ lastHour: requests, lastDay: requests }),
    since: instant.describe(
      'From when on addresses and endpoints are told: the hour in which 24 hours ago was.',
    ),
    addresses: z.array(addressUse).describe('Most used first; 100 at most.'),
    endpoints: z.array(endpointUse).describe('Most used first; 100 at most.'),
    lastUsedAt: instantOrNull,
    lastUsedIp: z.string().nullable(),
  })
  .meta({ id: 'BlastRadius' });

/** Keys that one answer lists. */
export const maxListed = 1_000;

export const all = '/businesses/{businessId}/api-keys';

export const one = '/businesses/{businessId}/api-keys/{apiKeyId}';

export const listApiKeys = declare({
  id: 'listApiKeys',
  method: 'GET',
  path: all,
  summary: 'The API keys of a business, newest first.',
  query: none,
  body: noBody,
  answer: z.object({
    apiKeys: z.array(apiKey),
    complete: z.boolean().describe(`false when there are more than the ${maxListed} newest.`),
  }),
});

export const createApiKey = declare({
  id: 'createApiKey',
  method: 'POST',
  path: all,
  summary: 'Makes an API key and shows it, once.',
  query: none,
  body: z.strictObject({
    name: z.string(),
    description: z.string().default(''),
    keyType: z.enum(['secret', 'restricted']),
    scopes: z
      .array(scopeSchema)
      .default([])
      .describe('One or more for a restricted key, none for a secret one.'),
    expiresAt: givenInstant.nullable().default(null).describe('null for a key that never expires.'),
  }),
  status: 201,
  answer: z.object({ apiKey: apiKeyRecord, keyString }),
});

export const getApiKey = declare({
  id: 'getApiKey',
  method: 'GET',
  path: one,
  summary: 'One API key, with what it was really used for.',
  query: none,
  body: noBody,
  answer: apiKeyDetail,
});

export const updateApiKey = declare({
  id: 'updateApiKey',
  method: 'PATCH',
  path: one,
  summary: 'Changes what may be changed: name and description, and the scopes of a restricted key.',
  query: none,
  body: z.strictObject({
    name: z.string().optional(),
    description: z.string().optional(),
    scopes: z.array(scopeSchema).optional(),
    keyType: z.unknown().optional().describe('Refused: it never changes.'),
    expiresAt: z.unknown().optional().describe('Refused: it never changes.'),
  }),
  answer: z.object({ apiKey: apiKeyRecord, propagation }),
});

export const rotateApiKey = declare({
  id: 'rotateApiKey',
  method: 'POST',
  path: `${one}/rotate`,
  summary: 'Replaces the key string at once and shows the new one, once.',
  query: none,
  body: noBody,
  answer: z.object({ apiKey: apiKeyRecord, keyString, propagation }),
});

export const deleteApiKey = declare({
  id: 'deleteApiKey',
  method: 'DELETE',
  path: one,
  summary: 'Removes an API key for ever.',
  query: none,
  body: noBody,
  answer: z.object({ propagation }),
});

export const getApiKeyUsage = declare({
  id: 'getApiKeyUsage',
  method: 'GET',
  path: `${one}/usage`,
  summary: 'Answers that an API key got, hour by hour, over at most 90 days.',
  query: hourlySpan,
  body: noBody,
  answer: z.object({
    hours: z.array(usageHour).describe('Oldest first; hours without a request are left out.'),
  }),
});

export const getApiKeyBlastRadius = declare({
  id: 'getApiKeyBlastRadius',
  method: 'GET',
  path: `${one}/blast-radius`,
  summary: 'Who would notice when an API key stopped working.',
  query: none,
  body: noBody,
  answer: blastRadius,
});

export const apiKeysSpecs = [
  listApiKeys,
  createApiKey,
  getApiKey,
  updateApiKey,
  rotateApiKey,
  deleteApiKey,
  getApiKeyUsage,
  getApiKeyBlastRadius,
];
