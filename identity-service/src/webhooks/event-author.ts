import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import type { FindAuthor } from '../clients/business.ts';
import type { FindClients } from '../traffic/usage.ts';
import { clientSchema, toClient } from '../traffic/usage-fields.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import type { SubscriptionStore } from './store.ts';

export const getEventAuthor = declare({
  id: 'getEventAuthor',
  method: 'GET',
  path: '/businesses/{businessId}/events/{eventId}/author',
  summary:
    'Who made the change of the business that an event is about; 404 when the event is no longer kept.',
  query: none,
  body: noBody,
  response: z
    .object({
      caller: clientSchema.nullable().describe('The API key or app; null for none of them.'),
      person: z
        .object({ id: z.string(), name: z.string().nullable().describe('null for a deleted account.') })
        .nullable()
        .describe('The person, of a change in the dashboard; null for any other.'),
    })
    .meta({ id: 'EventAuthor' }),
});

export interface EventAuthorDeps {
  readonly findAuthor: FindAuthor;
  readonly findClients: FindClients;
  readonly subscriptions: Pick<SubscriptionStore, 'makers'>;
}

/** Names the author of a change to the people of its business; its event says nothing of it. */
export function eventAuthorOperation(deps: EventAuthorDeps): Operation {
  return businessOperation(getEventAuthor, async ({ businessId, param, requestId }) => {
    const id = await authorOf(deps, { businessId, eventId: param('eventId') }, requestId);
    if (id === '') return { caller: null, person: null };
    if (id.startsWith('per_')) {
      const { people } = await deps.subscriptions.makers(businessId, [id]);
      return { caller: null, person: { id, name: people.get(id)?.name ?? null } };
    }
    const [client] = await deps.findClients(businessId, [id]);
    return { caller: client === undefined ? null : toClient(client), person: null };
  });
}

/** Identifier of the credential or person; empty for any other cause. @throws for an event that is not kept */
async function authorOf(
  { findAuthor }: EventAuthorDeps,
  event: Parameters<FindAuthor>[0],
  requestId: string,
): Promise<string> {
  const isIdentifier = /^evt_[0-9A-Za-z]{20}$/.test(event.eventId);
  const { isKept, credentialId } = isIdentifier ? await findAuthor(event, requestId) : unknown;
  if (!isKept) throw new AppError('not_found', 'event_not_found', 'no such event');
  return credentialId;
}

const unknown = { isKept: false, credentialId: '' };
