import { z } from 'zod';
import { instantOrNull } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';

export const createSandbox = declare({
  id: 'createSandbox',
  method: 'POST',
  path: '/sandboxes',
  summary:
    'Creates a sandbox: a business for trying the API, verified at once. The person becomes its owner.',
  query: none,
  body: noBody,
  status: 201,
  response: z.object({ businessId: z.string() }),
});

const path = '/businesses/{businessId}/sandbox';

export const getSandbox = declare({
  id: 'getSandbox',
  method: 'GET',
  path,
  summary: 'The state of a sandbox; 404 for any other business.',
  query: none,
  body: noBody,
  response: z.object({
    ordersDue: z.int().min(0).describe('Invented orders that are still to come, one a minute.'),
    endsAt: instantOrNull.describe('When it ends unless a call comes; null while calls come.'),
  }),
});

export const addSandboxOrders = declare({
  id: 'addSandboxOrders',
  method: 'POST',
  path: `${path}/orders`,
  summary: 'Adds invented orders with their events.',
  query: none,
  body: z.strictObject({
    pace: z.enum(['at_once', 'minutely']).describe('50 in all states at once, or ten, one a minute.'),
  }),
  status: 204,
  response: noBody,
});

export const deleteSandboxOrders = declare({
  id: 'deleteSandboxOrders',
  method: 'DELETE',
  path: `${path}/orders`,
  summary: 'Deletes all orders. Events stay, and order numbers go on.',
  query: none,
  body: noBody,
  status: 204,
  response: noBody,
});

export const endSandbox = declare({
  id: 'endSandbox',
  method: 'DELETE',
  path,
  role: 'owner',
  summary: 'Ends a sandbox with its keys, apps, connections, webhook endpoints, orders and team.',
  query: none,
  body: noBody,
  status: 204,
  response: noBody,
});

export const sandboxSpecs = [createSandbox, getSandbox, addSandboxOrders, deleteSandboxOrders, endSandbox];
