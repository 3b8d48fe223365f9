import { z } from 'zod';
import { businessNameSchema } from '../businesses/dashboard.ts';
import { scopeSchema } from '../businesses/dashboard-schema.ts';
import { nextCursor, pageCursor } from '../platform/pagination.ts';
import { instant, instantOrNull, propagation } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';

const collection = '/businesses/{businessId}/connections';

const scopeUse = z
  .object({
    scope: scopeSchema,
    used: z.boolean(),
    lastUsedAt: instantOrNull.describe('null when no use is recorded.'),
  })
  .meta({ id: 'ConnectedScope' });

const connectedApp = z
  .object({
    id: z.string(),
    application: z.object({ name: z.string(), description: z.string() }),
    publisher: businessNameSchema
      .nullable()
      .describe('Owner of the application; null while business-service is unavailable.'),
    scopes: z.array(scopeUse).describe('Approved scopes.'),
    approvedBy: z
      .string()
      .nullable()
      .describe('Name of the person who approved last; null when the account was deleted.'),
    connectedAt: instant,
    approvedAt: instant.describe('Time of the latest approval.'),
    lastUsedAt: instantOrNull,
    lastUsedIp: z.string().nullable(),
    requestsLastDay: z.int().min(0).describe('Requests in the last 24 hours, with any status.'),
  })
  .describe('An application that is connected to the business.')
  .meta({ id: 'ConnectedApp' });

export const listConnections = declare({
  id: 'listConnections',
  method: 'GET',
  path: collection,
  summary: 'Connected applications of a business, newest first, page by page.',
  query: z.strictObject({ cursor: pageCursor.optional() }),
  body: noBody,
  response: z.object({
    connections: z.array(connectedApp),
    nextCursor,
  }),
});

export const disconnect = declare({
  id: 'disconnect',
  method: 'DELETE',
  path: `${collection}/{grantId}`,
  summary: 'Disconnects an application and revokes all its tokens for the business at once.',
  role: 'owner',
  query: none,
  body: noBody,
  response: z.object({ propagation }),
});

export const connectedSpecs = [listConnections, disconnect];
