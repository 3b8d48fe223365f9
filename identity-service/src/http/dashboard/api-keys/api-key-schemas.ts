import { z } from 'zod';
import { instant, instantOrNull } from '../instant.ts';
import { scopeSchema } from '../session/session-specs.ts';
import { addressUse } from '../traffic.ts';

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
export const apiKeyRecord = z.object(keyFields).meta({ id: 'ApiKeyRecord' });

export const apiKey = z.object({ ...keyFields, rollingHour }).meta({ id: 'ApiKey' });

export const apiKeyDetail = z
  .object({
    ...keyFields,
    rollingHour,
    scopeUses: z
      .array(z.object({ scope: scopeSchema, lastUsedAt: instantOrNull }).meta({ id: 'ApiKeyScopeUse' }))
      .describe('What the key may do, and when a request last did it with success; null for never.'),
  })
  .meta({ id: 'ApiKeyDetail' });

export const keyString = z.string().describe('The key itself; in this answer and never again.');

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

export const blastRadius = z
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
