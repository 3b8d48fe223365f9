import { z } from 'zod';
import { givenInstant } from '../instant.ts';
import { propagation } from '../propagation-schema.ts';
import { scopeSchema } from '../session/session-specs.ts';
import { declare, noBody, none } from '../spec.ts';
import { hourlySpan, usageHour } from '../traffic.ts';
import { apiKey, apiKeyDetail, apiKeyRecord, blastRadius, keyString } from './api-key-schemas.ts';

/** Keys that one answer lists. */
export const maxListed = 1_000;

const all = '/businesses/{businessId}/api-keys';
const one = '/businesses/{businessId}/api-keys/{apiKeyId}';

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
