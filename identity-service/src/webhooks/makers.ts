import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { EndpointSettings, Owner } from '../clients/webhook.ts';
import type { EndpointRecord } from '../clients/webhook-records.ts';
import { defaultRules } from '../credentials/api-keys/member-rules.ts';
import type { ApiKeyStore } from '../credentials/api-keys/store.ts';
import type { Actor } from '../platform/actor.ts';
import { checkMaySubscribe, chosenTypes, type MakerRights, typesBeyond } from './maker.ts';
import type { Makers, SubscriptionStore } from './store.ts';

export interface MakersDeps {
  readonly subscriptions: Pick<SubscriptionStore, 'makers'>;
  readonly keys: Pick<ApiKeyStore, 'inTransaction'>;
}

interface Subscribing {
  readonly actor: Actor;
  readonly owner: Owner;
  readonly events: readonly string[];
}

/** Checks that the person who acts may have these events sent, by the role and the rules of this moment. @throws AppError */
export async function checkSubscribing(
  { keys }: MakersDeps,
  { actor, owner, events }: Subscribing,
): Promise<void> {
  const rules = await keys.inTransaction(({ lockRights }) => lockRights(actor, owner.businessId));
  const maker: MakerRights =
    rules === undefined ? { role: 'owner', rules: defaultRules } : { role: 'developer', rules };
  checkMaySubscribe(maker, owner, events);
}

/**
 * Checks again once webhook-service has made the change: who was removed meanwhile leaves no endpoint that works. The databases are
 * two, and no lock spans them.
 * @param undo takes the change away; it learns whether the person is refused, or that is not known, as when a database does not respond
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
 * Whether a change makes the person the maker: another URL, more events, or an owner who chooses the events, and takes the endpoint over by
 * that. Who has fewer events sent takes power away, and is not its maker.
 */
export function becomesMaker(
  { applicationId }: Owner,
  isOwner: boolean,
  before: Pick<EndpointSettings, 'url' | 'events'>,
  { url, events }: Pick<EndpointSettings, 'url'> & { readonly events: readonly string[] | undefined },
): boolean {
  if (url !== before.url) return true;
  if (events === undefined) return false;
  const owner = { businessId: 0, applicationId };
  const had = chosenTypes(owner, before.events);
  return isOwner || chosenTypes(owner, events).some((type) => !had.includes(type));
}

/** Endpoints as responses carry them: with the person who made each, and what is withheld since that person may not have it. */
export async function shownEndpoints(
  { subscriptions }: MakersDeps,
  owner: Owner,
  endpoints: readonly EndpointRecord[],
) {
  const ids = [...new Set(endpoints.map(({ madeBy }) => madeBy))].filter((id) => id !== '');
  const makers = ids.length === 0 ? undefined : await subscriptions.makers(owner.businessId, ids);
  return endpoints.map((endpoint) => ({ ...endpoint, ...shownMaker(owner, endpoint, makers) }));
}

function shownMaker(owner: Owner, { madeBy, events }: EndpointRecord, makers: Makers | undefined) {
  if (makers === undefined || madeBy === '') return { maker: null, withheld: [] };
  const { people, rules } = makers;
  const person = people.get(madeBy);
  const role = person?.role;
  return {
    maker:
      person === undefined ? null : { personId: madeBy, name: person.name, isMember: role !== undefined },
    withheld: typesBeyond({ role, rules }, chosenTypes(owner, events)),
  };
}

/** The same of one endpoint. */
export async function shownEndpoint(deps: MakersDeps, owner: Owner, endpoint: EndpointRecord) {
  const [shown] = await shownEndpoints(deps, owner, [endpoint]);
  if (shown === undefined) throw new Error('an endpoint was lost');
  return shown;
}
