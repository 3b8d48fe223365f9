import { z } from 'zod';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { confirmation } from '../profile/dashboard-schema.ts';

const count = z.int().min(0);

const obstacle = z
  .object({
    businessId: z.string(),
    reason: z
      .enum(['members', 'active'])
      .describe('`members`: other members would be left without an owner; `active`: it has keys or apps.'),
    keys: count.describe('API keys that have not expired.'),
    apps: count,
    connections: count.describe('Apps that it has connected.'),
  })
  .meta({ id: 'DeletionObstacle' });

export const getDeletion = declare({
  id: 'getDeletion',
  method: 'GET',
  path: '/profile/deletion',
  summary: 'Businesses that keep the person, as their only owner, from deleting the account.',
  query: none,
  body: noBody,
  response: z.object({ obstacles: z.array(obstacle) }),
});

export const deleteAccount = declare({
  id: 'deleteAccount',
  method: 'DELETE',
  path: '/profile',
  summary: 'Deletes the account of the person and ends all sessions. Keys, apps and the audit log stay.',
  query: none,
  body: z.strictObject(confirmation),
  status: 204,
  response: noBody,
});

export const deletionSpecs = [getDeletion, deleteAccount];
