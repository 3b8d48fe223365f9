import { z } from 'zod';
import { nextCursor, pageCursor } from '../../platform/pagination.ts';
import {
  businessNameSchema,
  instant,
  instantOrNull,
  propagation,
  scopeSchema,
  suspensionBody,
} from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';

const collection = '/businesses/{businessId}/connections';

const scopeUse = z
  .object({
    scope: scopeSchema,
    used: z.boolean(),
    lastUsedAt: instantOrNull.describe('null when no use is recorded.'),
  })
  .meta({ id: 'ConnectedScope' });

const suspension = z
  .object({
    since: instant,
    reason: z.string().describe('May be empty.'),
    by: z.string().nullable().describe('Name of the person; null when the account was deleted.'),
  })
  .describe('The business stopped the connection for the moment.')
  .meta({ id: 'ConnectionSuspension' });

const applicationSuspension = z
  .object({ since: instant, by: z.enum(['publisher', 'platform']) })
  .describe('The application may act for no business at the moment.')
  .meta({ id: 'ConnectedAppSuspension' });

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
    suspension: suspension.nullable(),
    applicationSuspension: applicationSuspension.nullable(),
  })
  .describe('An application that is connected to the business.')
  .meta({ id: 'ConnectedApp' });

export const listConnections = declare({
  id: 'listConnections',
  method: 'GET',
  path: collection,
  summary: 'Connected apps of a business, newest first, page by page.',
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

const suspensionPath = `${collection}/{grantId}/suspension`;

export const suspendConnection = declare({
  id: 'suspendConnection',
  method: 'PUT',
  path: suspensionPath,
  summary: 'Refuses all tokens of an application for the business at once, until it is resumed.',
  role: 'owner',
  query: none,
  body: suspensionBody,
  response: z.object({ propagation }),
});

export const resumeConnection = declare({
  id: 'resumeConnection',
  method: 'DELETE',
  path: suspensionPath,
  summary: 'Lifts the suspension of a connection: the same tokens work again.',
  role: 'owner',
  query: none,
  body: noBody,
  response: z.object({ propagation }),
});

export const connectedSpecs = [listConnections, disconnect, suspendConnection, resumeConnection];
