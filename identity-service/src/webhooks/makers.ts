import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { EndpointSettings, Owner } from '../clients/webhook.ts';
import type { EndpointRecord } from '../clients/webhook-records.ts';
import { defaultRules } from '../credentials/api-keys/member-rules.ts';
import type { ApiKeyStore } from '../credentials/api-keys/store.ts';
import type { Actor } from '../platform/actor.ts';
import type { ApiEvents } from '../platform/event-types.ts';
import { checkMaySubscribe, chosenTypes, type MakerRights, typesBeyond } from './maker.ts';
import type { Makers, SubscriptionStore } from './store.ts';

export interface MakersDeps {
  readonly apiEvents: ApiEvents;
  readonly subscriptions: Pick<SubscriptionStore, 'makers'>;
  readonly keys: Pick<ApiKeyStore, 'inTransaction'>;
}

interface Subscribing {
  readonly actor: Actor;
  readonly owner: Owner;
  readonly events: readonly string[];
}

/** Checks by current role and rules that the acting person may subscribe to these events. @throws AppError */
export async function checkSubscribing(
  { keys, apiEvents }: MakersDeps,
  { actor, owner, events }: Subscribing,
): Promise<void> {
  const rules = await keys.inTransaction(({ lockRights }) => lockRights(actor, owner.businessId));
  const maker: MakerRights =
    rules === undefined ? { role: 'owner', rules: defaultRules } : { role: 'developer', rules };
  checkMaySubscribe(apiEvents, maker, owner, events);
}

/**
 * Checks again after webhook-service has made the change, so that a person who was removed in the meantime leaves no working
 * endpoint. webhook-service has a separate database, so no lock covers both.
 * @param undo reverts the change; its argument is false if the check itself failed, for example because of a database
 * @throws AppError
 */
export async function checkStillSubscribing(
  deps: MakersDeps,
  subscribing: Subscribing,
  undo: (isRefused: boolean) => Promise<unknown>,
): Promise<void> {
  try {
    await checkSubscribing(deps, subscribing);
  } catch (error) {
    await undo(error instanceof AppError && error.kind === 'permission_denied');
    throw error;
  }
}

/**
 * Whether a change makes the person the maker of the endpoint: a new URL, additional events, or any choice of events by an
 * owner. A developer who only removes events does not become the maker.
 */
export function becomesMaker(
  apiEvents: ApiEvents,
  { applicationId }: Owner,
  isOwner: boolean,
  before: Pick<EndpointSettings, 'url' | 'events'>,
  { url, events }: Pick<EndpointSettings, 'url'> & { readonly events: readonly string[] | undefined },
): boolean {
  if (url !== before.url) return true;
  if (events === undefined) return false;
  const owner = { businessId: 0, applicationId };
  const had = chosenTypes(apiEvents, owner, before.events);
  return isOwner || chosenTypes(apiEvents, owner, events).some((type) => !had.includes(type));
}

/** Endpoints for responses, with the maker of each and the event types that are withheld because the maker lacks rights. */
export async function shownEndpoints(
  { subscriptions, apiEvents }: MakersDeps,
  owner: Owner,
  endpoints: readonly EndpointRecord[],
) {
  const ids = [...new Set(endpoints.map(({ madeBy }) => madeBy))].filter((id) => id !== '');
  const makers = ids.length === 0 ? undefined : await subscriptions.makers(owner.businessId, ids);
  return endpoints.map((endpoint) => ({ ...endpoint, ...shownMaker(apiEvents, owner, endpoint, makers) }));
}

function shownMaker(
  apiEvents: ApiEvents,
  owner: Owner,
  { madeBy, events }: EndpointRecord,
  makers: Makers | undefined,
) {
  if (makers === undefined || madeBy === '') return { maker: null, withheld: [] };
  const { people, rules } = makers;
  const person = people.get(madeBy);
  const role = person?.role;
  return {
    maker:
      person === undefined ? null : { personId: madeBy, name: person.name, isMember: role !== undefined },
    withheld: typesBeyond(apiEvents, { role, rules }, chosenTypes(apiEvents, owner, events)),
  };
}

/** The same of one endpoint. */
export async function shownEndpoint(deps: MakersDeps, owner: Owner, endpoint: EndpointRecord) {
  const [shown] = await shownEndpoints(deps, owner, [endpoint]);
  if (shown === undefined) throw new Error('an endpoint was lost');
  return shown;
}
