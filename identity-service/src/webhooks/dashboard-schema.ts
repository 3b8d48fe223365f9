import { z } from 'zod';
import { webhookEvents } from '../applications/settings.ts';
import { nextCursor } from '../platform/pagination.ts';
import { givenInstant, instant, instantOrNull } from '../web/dashboard-api/fields.ts';
import { declare, noBody } from '../web/dashboard-api/spec.ts';

const count = z.int().min(0);

/** States of a delivery (webhook/v1/delivery.proto). */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped', 'withdrawn'] as const;

/** Why an endpoint is disabled (webhook/v1/endpoint.proto). */
export const disabledReasons = ['owner', 'gone', 'failing'] as const;

/** Endpoints of an application or of a business. */
export const maxEndpoints = 5;

/** Events that an endpoint may choose; those about API keys are for endpoints of the business itself. */
const endpointEvent = z
  .enum(['api_key.expired', 'api_key.expiring', ...webhookEvents])
  .meta({ id: 'EndpointEvent' });

/** Whose endpoints: those of an application, or those of the business itself. */
const owner = {
  applicationId: z
    .string()
    .regex(/^apl_[0-9a-f]{24}$/, 'must be the identifier of an application')
    .optional()
    .describe('Application whose endpoints are meant; those of the business itself where absent.'),
};

const ofOwner = z.strictObject(owner);

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
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .refine((text) => text.isWellFormed(), 'must not contain lone surrogates'),
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
    events: z.array(z.string()).describe(settings.events.description ?? ''),
    enabled: z.boolean(),
    disabledReason: z
      .enum(disabledReasons)
      .nullable()
      .describe('By a person, after a 410, or after five days of failures; null while it is enabled.'),
    disabledAt: instantOrNull,
    createdAt: instant,
    updatedAt: instant,
    failingSince: instantOrNull.describe('First failure since the last success.'),
    lastSuccessAt: instantOrNull,
    pausedUntil: instantOrNull.describe('No attempt starts before, since the receiver was down.'),
    oldSecretEndsAt: instantOrNull.describe('When the secret before the current one stops signing.'),
    pending: count.describe('Deliveries that wait for their next attempt.'),
  })
  .meta({ id: 'WebhookEndpoint' });

const secret = z.string().describe('whsec_ and base64 of 32 bytes (Standard Webhooks).');

const delivery = z
  .object({
    id: z.string(),
    endpointId: z.string(),
    eventId: z.string().describe('The header webhook-id of every attempt.'),
    type: z.string(),
    isTest: z.boolean(),
    status: z
      .enum(deliveryStatuses)
      .describe('skipped: the endpoint was disabled. withdrawn: it may no longer receive the event.')
      .meta({ id: 'WebhookDeliveryStatus' }),
    attempts: count,
    nextAttemptAt: instantOrNull,
    createdAt: instant,
    finishedAt: instantOrNull,
  })
  .meta({ id: 'WebhookDelivery' });

const attempt = z
  .object({
    number: z.int().min(1),
    startedAt: instant,
    durationMs: count,
    outcome: z.string().describe('delivered, refused, gone, or why there was no response.'),
    status: z.int().nullable().describe('HTTP status; null without a response.'),
    responseStart: z.string().describe('Start of the body of the response, at most 4 kB.'),
    errorCode: z.string().nullable().describe('Of the system or of TLS, as ECONNREFUSED.'),
  })
  .meta({ id: 'WebhookAttempt' });

const endpoints = '/businesses/{businessId}/webhook-endpoints';

const oneEndpoint = '/businesses/{businessId}/webhook-endpoints/{endpointId}';

const deliveries = '/businesses/{businessId}/webhook-deliveries';

const oneDelivery = '/businesses/{businessId}/webhook-deliveries/{deliveryId}';

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
    recoverable: count.describe('Deliveries of the last 30 days that failed or were skipped.'),
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
      .describe('What to mend, as tampered_accepted; empty for a correct receiver.'),
  }),
});

export const listWebhookDeliveries = declare({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: deliveries,
  summary: 'Deliveries of the last 30 days, newest first, page by page.',
  query: z.strictObject({
    ...owner,
    endpointId: z
      .string()
      .regex(/^whe_[0-9A-Za-z]{20}$/, 'must be the identifier of an endpoint')
      .optional(),
    type: endpointEvent.optional(),
    status: z.enum(deliveryStatuses).optional(),
    since: givenInstant.optional().describe('Created at or after this time.'),
    until: givenInstant.optional().describe('Created before this time.'),
    cursor: z.string().max(200).optional().describe('`nextCursor` of the page before.'),
  }),
  body: noBody,
  response: z.object({ deliveries: z.array(delivery), nextCursor }),
});

export const getWebhookDelivery = declare({
  id: 'getWebhookDelivery',
  method: 'GET',
  path: oneDelivery,
  summary: 'One delivery with its body and every attempt.',
  query: ofOwner,
  body: noBody,
  response: z.object({
    delivery,
    body: z.string().describe('The same bytes in every attempt.'),
    attempts: z.array(attempt),
  }),
});

export const resendWebhookDelivery = declare({
  id: 'resendWebhookDelivery',
  method: 'POST',
  path: `${oneDelivery}/resend`,
  summary: 'Sends the same bytes again: the first attempt at once, then the whole schedule.',
  query: ofOwner,
  body: noBody,
  response: delivery,
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
  listWebhookDeliveries,
  getWebhookDelivery,
  resendWebhookDelivery,
];
