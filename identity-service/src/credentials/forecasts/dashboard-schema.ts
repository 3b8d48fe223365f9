import { refusals } from '@platform/protos/vocabulary';
import { z } from 'zod';
import { givenInstant, instant, instantOrNull, scopeSchema } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';

const requests = z.int().min(0);

const group = { requests, lastAt: instant };

const endpoint = {
  method: z.string(),
  route: z.string().nullable().describe('Such as `/v2/order/{id}`; null for unknown paths.'),
};

const response = z
  .object({
    from: instant,
    to: instant,
    since: instantOrNull.describe(
      'Since when requests are on record, if not for the whole time; null without one.',
    ),
    missedMinutes: requests.describe(
      'Minutes in which the log could not keep up, so that requests are missing.',
    ),
    requests: requests.describe('Requests that were admitted, and would be today.'),
    undecided: requests.describe(
      'Further requests, of the rarest callers and endpoints, that are not considered.',
    ),
    refused: requests.describe('Requests that the change would have refused.'),
    reasons: z.array(z.object({ reason: z.enum(refusals), requests }).meta({ id: 'ForecastReason' })),
    addressCount: requests.describe('Addresses of refused requests.'),
    addresses: z
      .array(z.object({ address: z.string(), ...group }).meta({ id: 'ForecastAddress' }))
      .describe('The most frequent first; 100 at most.'),
    endpoints: z
      .array(z.object({ ...endpoint, ...group }).meta({ id: 'ForecastEndpoint' }))
      .describe('The most frequent first; 100 at most.'),
    places: z
      .array(z.object({ ...endpoint, address: z.string(), ...group }).meta({ id: 'ForecastPlace' }))
      .describe('Endpoints by address, the most frequent first; 3 at most.'),
  })
  .describe('What a change would have refused in the last 7 days.')
  .meta({ id: 'Forecast' });

const yes = z.literal(true);

/** Entries that are not valid admit no address, so that a list can be tried while it is typed. */
const ipWhitelist = z.array(z.string()).max(200);

const keyPath = '/businesses/{businessId}/api-keys/{apiKeyId}';

export const forecastApiKey = declare({
  id: 'forecastApiKey',
  method: 'POST',
  path: `${keyPath}/forecast`,
  summary: 'Which requests of the last 7 days a change of an API key would have refused. Changes nothing.',
  query: none,
  body: z.strictObject({
    scopes: z.array(scopeSchema).optional(),
    ipWhitelist: ipWhitelist.optional().describe('Empty for any address.'),
    expiresAt: givenInstant.optional().describe('Requests as they would be refused from then on.'),
    frozen: yes.optional(),
    deleted: yes.optional().describe('Also for a rotation: the old string.'),
  }),
  response,
});

export const forecastApiKeyLimit = declare({
  id: 'forecastApiKeyLimit',
  method: 'POST',
  path: `${keyPath}/limit/forecast`,
  role: 'owner',
  summary: 'Which requests of the last 7 days another limit would have refused. Changes nothing.',
  query: none,
  body: z.strictObject({ limit: z.int('must be a whole number').min(1, 'must be at least 1') }),
  response,
});

export const forecastApplication = declare({
  id: 'forecastApplication',
  method: 'POST',
  path: '/businesses/{businessId}/applications/{applicationId}/forecast',
  summary:
    'Which requests of the last 7 days, of every connected business, a change of an application would have refused.',
  query: none,
  body: z.strictObject({
    scopes: z.array(scopeSchema).optional(),
    ipWhitelist: ipWhitelist.optional(),
    suspended: yes.optional(),
    deleted: yes.optional(),
  }),
  response,
});

export const forecastConnection = declare({
  id: 'forecastConnection',
  method: 'POST',
  path: '/businesses/{businessId}/connections/{grantId}/forecast',
  role: 'owner',
  summary: 'Which requests of the last 7 days would have been refused without a connection. Changes nothing.',
  query: none,
  body: z.strictObject({ change: z.enum(['disconnect', 'suspend']) }),
  response,
});

export const forecastFreeze = declare({
  id: 'forecastFreeze',
  method: 'POST',
  path: '/businesses/{businessId}/freeze/forecast',
  role: 'owner',
  summary: 'Which requests of the last 7 days a freeze of the business would have refused. Changes nothing.',
  query: none,
  body: noBody,
  response,
});

export const forecastSpecs = [
  forecastApiKey,
  forecastApiKeyLimit,
  forecastApplication,
  forecastConnection,
  forecastFreeze,
];
