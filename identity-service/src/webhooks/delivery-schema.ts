import { z } from 'zod';
import { deliveryStatuses } from '../clients/webhook-records.ts';
import { nextCursor } from '../platform/pagination.ts';
import { givenInstant, instant, instantOrNull } from '../web/dashboard-api/fields.ts';
import { declare, eventStream, noBody } from '../web/dashboard-api/spec.ts';

export const count = z.int().min(0);

/** A type of event. */
export const endpointEvent = z
  .string()
  .regex(/^[a-z0-9_]{1,31}\.[a-z0-9_]{1,31}$/, 'must be a type of event')
  .meta({ id: 'EndpointEvent', examples: ['order.paid'] });

/** Whose endpoints: those of an application, or those of the business itself. */
export const owner = {
  applicationId: z
    .string()
    .regex(/^apl_[0-9a-f]{24}$/, 'must be the identifier of an application')
    .optional()
    .describe('Application whose endpoints are meant; those of the business itself where absent.'),
};

export const ofOwner = z.strictObject(owner);

export const delivery = z
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

const deliveries = '/businesses/{businessId}/webhook-deliveries';

const oneDelivery = '/businesses/{businessId}/webhook-deliveries/{deliveryId}';

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
  summary: 'One delivery with its body and its latest 50 attempts.',
  query: ofOwner,
  body: noBody,
  response: z.object({
    delivery,
    body: z.string().describe('The same bytes in every attempt.'),
    attempts: z.array(attempt),
  }),
});

export const watchWebhooks = declare({
  id: 'watchWebhooks',
  method: 'GET',
  path: '/businesses/{businessId}/webhook-changes',
  summary:
    'Server-sent events: `changed` at once, and after changes of endpoints and deliveries. Ends with the session or a change of the role.',
  query: ofOwner,
  body: noBody,
  response: eventStream,
  mediaType: 'text/event-stream',
});

export const resendWebhookDelivery = declare({
  id: 'resendWebhookDelivery',
  method: 'POST',
  path: `${oneDelivery}/resend`,
  summary:
    'Sends the same bytes again to an endpoint that is enabled: the first attempt at once, then the whole schedule.',
  query: ofOwner,
  body: noBody,
  response: delivery,
});

export const deliverySpecs = [
  listWebhookDeliveries,
  getWebhookDelivery,
  resendWebhookDelivery,
  watchWebhooks,
];
