import { controlCharacters, isLine } from '@platform/service-kit/values/text.ts';
import { z } from 'zod';
import { disabledReasons } from '../clients/webhook-records.ts';
import { givenInstant, instant, instantOrNull } from '../web/dashboard-api/fields.ts';
import { declare, noBody } from '../web/dashboard-api/spec.ts';
import { count, delivery, deliverySpecs, endpointEvent, ofOwner } from './delivery-schema.ts';
import { getEventAuthor } from './event-author.ts';

/** Endpoints of an application or of a business. */
export const maxEndpoints = 5;

const settings = {
  url: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(1_000, 'must have at most 1000 characters')
    .describe('https, on a public address.'),
  description: z
    .string()
    .trim()
    .max(200, 'must have at most 200 characters')
    .refine(isLine, controlCharacters),
  events: z
    .array(endpointEvent)
    .max(endpointEvent.options.length)
    .describe('Empty for all that the application has chosen, or all of the business.'),
};

const endpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    maker: z
      .object({ personId: z.string(), name: z.string(), isMember: z.boolean() })
      .nullable()
      .describe('The person who decided last where it sends what; null where that is not known.'),
    withheld: z
      .array(z.string())
      .describe('Types that are not sent, since that person may not have them; kept as withdrawn.'),
    events: z.array(z.string()).describe(settings.events.description ?? ''),
    enabled: z.boolean(),
    disabledReason: z
      .enum(disabledReasons)
      .nullable()
      .describe('By a person, after a 410, or after five days of failures; null while it is enabled.'),
    disabledAt: instantOrNull,
    createdAt: instant,
    updatedAt: instant,
    failingSince: instantOrNull.describe(
      'First failure since a success, a new URL, or 30 hours without any.',
    ),
    lastSuccessAt: instantOrNull,
    pausedUntil: instantOrNull.describe('No attempt starts before, since the receiver was down.'),
    oldSecretEndsAt: instantOrNull.describe('When the secret before the current one stops signing.'),
    pending: count.describe('Deliveries that wait for their next attempt; 100,000 for as many or more.'),
    nextAttemptAt: instantOrNull.describe('When the next of them starts.'),
    recovery: z
      .object({
        since: instant,
        createdAt: instant,
        total: count.describe('Deliveries to send again.'),
        sent: count.describe('Those of them that were attempted since.'),
      })
      .nullable()
      .describe('The last recovery of the last 24 hours.'),
    recent: z
      .object({
        attempts: count,
        successes: count,
        p95Ms: count,
        lastOutcome: z.string().nullable().describe('Of the latest of them, as in attempts; null for none.'),
        lastStatus: z.int().nullable().describe('Its HTTP status; null without a response.'),
      })
      .describe('Attempts of the latest 100 deliveries; p95 of their time to the end of the response.'),
  })
  .meta({ id: 'WebhookEndpoint' });

const secret = z.string().describe('whsec_ and base64 of 32 bytes (Standard Webhooks).');

const endpoints = '/businesses/{businessId}/webhook-endpoints';

const oneEndpoint = '/businesses/{businessId}/webhook-endpoints/{endpointId}';

export const listWebhookEndpoints = declare({
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: endpoints,
  summary: 'Endpoints of an application or of the business itself, newest first.',
  query: ofOwner,
  body: noBody,
  response: z.object({
    installed: z.boolean().describe('false: webhooks are not part of this installation.'),
    endpoints: z.array(endpoint),
    limit: z.int().describe('Endpoints that there may be.'),
  }),
});

export const createWebhookEndpoint = declare({
  id: 'createWebhookEndpoint',
  method: 'POST',
  path: endpoints,
  summary: 'Creates an endpoint, enabled, and shows its secret.',
  query: ofOwner,
  body: z.strictObject({
    ...settings,
    description: settings.description.default(''),
    events: settings.events.default([]),
  }),
  status: 201,
  response: z.object({ endpoint, secret }),
});

export const getWebhookEndpoint = declare({
  id: 'getWebhookEndpoint',
  method: 'GET',
  path: oneEndpoint,
  summary: 'One endpoint.',
  query: ofOwner,
  body: noBody,
  response: endpoint,
});

export const updateWebhookEndpoint = declare({
  id: 'updateWebhookEndpoint',
  method: 'PATCH',
  path: oneEndpoint,
  summary: 'Changes the settings that are given, and no others.',
  query: ofOwner,
  body: z.strictObject(settings).partial(),
  response: endpoint,
});

export const deleteWebhookEndpoint = declare({
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: oneEndpoint,
  summary: 'Deletes an endpoint with its deliveries. No attempt starts afterwards.',
  query: ofOwner,
  body: noBody,
  status: 204,
  response: noBody,
});

export const enableWebhookEndpoint = declare({
  id: 'enableWebhookEndpoint',
  method: 'POST',
  path: `${oneEndpoint}/enable`,
  summary: 'Enables an endpoint; what was skipped meanwhile can be recovered.',
  query: ofOwner,
  body: noBody,
  response: z.object({
    endpoint,
    recoverable: count.describe(
      'Deliveries of the last 30 days that failed or were skipped; 100,000 for as many or more.',
    ),
  }),
});

export const disableWebhookEndpoint = declare({
  id: 'disableWebhookEndpoint',
  method: 'POST',
  path: `${oneEndpoint}/disable`,
  summary: 'Disables an endpoint: no attempt starts afterwards, and events are kept as skipped.',
  query: ofOwner,
  body: noBody,
  response: endpoint,
});

export const rotateWebhookSecret = declare({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: `${oneEndpoint}/secret`,
  summary: 'Makes a new secret and shows it.',
  query: ofOwner,
  body: z.strictObject({
    endOld: z
      .boolean()
      .describe(
        'Whether the old secret stops signing at once; else it signs beside the new one for 24 hours.',
      ),
  }),
  status: 201,
  response: z.object({ endpoint, secret }),
});

export const revealWebhookSecret = declare({
  id: 'revealWebhookSecret',
  method: 'POST',
  path: `${oneEndpoint}/secret/reveal`,
  summary: 'Shows the secret and the public key again.',
  query: ofOwner,
  body: z.strictObject({
    password: z.string().describe('Of the person: an open session alone is not enough.'),
  }),
  response: z.object({
    secret,
    publicKey: z.string().describe('Verifies v1a signatures; whpk_ and base64 of 32 bytes.'),
  }),
});

export const recoverWebhookDeliveries = declare({
  id: 'recoverWebhookDeliveries',
  method: 'POST',
  path: `${oneEndpoint}/recover`,
  summary: 'Sends again, in the background, what failed or was skipped since a moment.',
  query: ofOwner,
  body: z.strictObject({ since: givenInstant }),
  response: z.object({ deliveries: count.describe('Deliveries that are sent again.') }),
});

export const sendWebhookTest = declare({
  id: 'sendWebhookTest',
  method: 'POST',
  path: `${oneEndpoint}/test`,
  summary: 'Sends an example event to an endpoint, whatever types it has chosen.',
  query: ofOwner,
  body: z.strictObject({ type: endpointEvent }),
  status: 201,
  response: delivery,
});

const probe = z
  .object({
    kind: z
      .string()
      .describe('good, tampered, stale, duplicated, later, earlier (than the event before it) or slow_body.'),
    passed: z.boolean().describe('Whether the receiver responded as it must.'),
    outcome: z
      .string()
      .describe('As in attempts; not_sent where it was pointless, or when the time had run out.'),
    status: z.int().nullable().describe('HTTP status; null without a response.'),
    durationMs: count,
    eventId: z.string().nullable().describe('The header webhook-id.'),
  })
  .meta({ id: 'WebhookProbe' });

export const checkWebhookReceiver = declare({
  id: 'checkWebhookReceiver',
  method: 'POST',
  path: `${oneEndpoint}/check`,
  summary: 'Sends requests that a receiver must accept or refuse, and grades its responses.',
  query: ofOwner,
  body: noBody,
  response: z.object({
    probes: z.array(probe),
    findings: z
      .array(z.string())
      .describe('What to fix, as tampered_accepted; empty for a correct receiver.'),
  }),
});

export const webhooksSpecs = [
  listWebhookEndpoints,
  createWebhookEndpoint,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  enableWebhookEndpoint,
  disableWebhookEndpoint,
  rotateWebhookSecret,
  revealWebhookSecret,
  recoverWebhookDeliveries,
  sendWebhookTest,
  checkWebhookReceiver,
  ...deliverySpecs,
  getEventAuthor,
];
