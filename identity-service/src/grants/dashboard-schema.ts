import { z } from 'zod';
import { businessNameSchema } from '../businesses/dashboard.ts';
import { scopeSchema } from '../businesses/dashboard-schema.ts';
import { nextCursor, pageCursor } from '../platform/pagination.ts';
import { instant, instantOrNull, propagation } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';

export const all = '/businesses/{businessId}/connections';

export const scopeUse = z
  .object({
    scope: scopeSchema,
    used: z.boolean(),
    lastUsedAt: instantOrNull.describe('null when it was never used, or before that was kept.'),
  })
  .meta({ id: 'ConnectedScope' });

export const connectedApp = z
  .object({
    id: z.string(),
    application: z.object({ name: z.string(), description: z.string() }),
    publisher: businessNameSchema
      .nullable()
      .describe('The business behind the application; null while business-service does not say.'),
    scopes: z.array(scopeUse).describe('What the business has approved, by scope.'),
    approvedBy: z.string().nullable().describe('Name of who approved last; null when the person is gone.'),
    connectedAt: instant,
    approvedAt: instant.describe('The latest approval.'),
    lastUsedAt: instantOrNull,
    lastUsedIp: z.string().nullable(),
    requestsLastDay: z.int().min(0).describe('Requests in the last 24 hours, whatever their answer.'),
  })
  .describe('An application that may act for the business.')
  .meta({ id: 'ConnectedApp' });

export const listConnections = declare({
  id: 'listConnections',
  method: 'GET',
  path: all,
  summary: 'Applications that may act for the business, newest first, page by page.',
  query: z.strictObject({ cursor: pageCursor.optional() }),
  body: noBody,
  answer: z.object({
    connections: z.array(connectedApp),
    nextCursor,
  }),
});

export const disconnect = declare({
  id: 'disconnect',
  method: 'DELETE',
  path: `${all}/{grantId}`,
  summary: 'Ends what an application may do for the business, and every token of it, at once.',
  role: 'owner',
  query: none,
  body: noBody,
  answer: z.object({ propagation }),
});

export const connectedSpecs = [listConnections, disconnect];
