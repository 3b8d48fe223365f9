import { AppError } from '@platform/service-kit/values/app-error.ts';
import { type EndpointReference, notInstalled, type Owner, type WebhookClient } from '../clients/webhook.ts';
import type { EndpointRecord } from '../clients/webhook-records.ts';
import { getApplication } from '../credentials/applications/operations.ts';
import { isWebhookEvent } from '../credentials/applications/settings.ts';
import type { ApplicationStore } from '../credentials/applications/store.ts';
import type { Actor, AuditEvent, JsonObject } from '../platform/actor.ts';
import { rules, type Throttle } from '../platform/throttle.ts';
import { checkAttempts, InvalidInput, incorrectPassword, withFields } from '../web/dashboard-api/input.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { endpointChange, recoverEndpoint, resendDelivery, switchEndpoint } from './audited.ts';
import * as specs from './dashboard-schema.ts';
import * as deliverySpecs from './delivery-schema.ts';
import { type EventAuthorDeps, eventAuthorOperation } from './event-author.ts';
import {
  becomesMaker,
  checkStillSubscribing,
  checkSubscribing,
  type MakersDeps,
  shownEndpoint,
  shownEndpoints,
} from './makers.ts';
import { testEventData } from './test-event.ts';
import { addressOf } from './warning.ts';

/** Field of the form by the reason of an error of webhook-service. */
const fieldOf = { invalid_url: 'url' };

interface WebhooksOperationsDeps extends MakersDeps, EventAuthorDeps {
  /** Undefined in an installation without webhook-service. */
  readonly client: WebhookClient | undefined;
  readonly applications: ApplicationStore;
  /** Whether this is the password of a person. */
  readonly isPassword: (personId: string, password: string) => Promise<boolean>;
  readonly throttle: Throttle;
  readonly audit: (event: AuditEvent) => Promise<void>;
}

/** Operations on webhook endpoints and deliveries. Developers may use all of them, as for applications and keys. */
export function webhooksOperations(deps: WebhooksOperationsDeps): Operation[] {
  return [
    ...endpointOperations(deps),
    ...switchOperations(deps),
    ...secretOperations(deps),
    ...sendOperations(deps),
    ...deliveryOperations(deps),
    eventAuthorOperation(deps),
  ];
}

/** Parts of a call that every operation reads. */
interface OwnerCall {
  readonly businessId: number;
  readonly query: { readonly applicationId?: string | undefined };
}

interface EndpointCall extends OwnerCall {
  readonly actor: Actor;
  readonly param: (name: 'endpointId') => string;
}

/** The owner that a call names. @throws AppError not_found for an application of another business */
async function ownerOf(
  { applications }: WebhooksOperationsDeps,
  { businessId, query: { applicationId = '' } }: OwnerCall,
): Promise<Owner> {
  if (applicationId !== '') await getApplication({ applications }, { businessId, applicationId });
  return { businessId, applicationId };
}

/** webhook-service, and the owner that a call names. @throws AppError not_found, also without webhook-service */
async function open(
  deps: WebhooksOperationsDeps,
  input: OwnerCall,
): Promise<{ readonly client: WebhookClient; readonly owner: Owner }> {
  const { client } = deps;
  if (client === undefined) throw notInstalled();
  return { client, owner: await ownerOf(deps, input) };
}

interface OpenedEndpoint {
  readonly client: WebhookClient;
  readonly reference: EndpointReference;
  /** As it is now. */
  readonly before: EndpointRecord;
}

/** The same with the endpoint in the path. @throws AppError not_found */
async function openEndpoint(deps: WebhooksOperationsDeps, input: EndpointCall): Promise<OpenedEndpoint> {
  const { client, owner } = await open(deps, input);
  const reference = { owner, endpointId: input.param('endpointId') };
  checkIdentifier('endpoint', reference.endpointId);
  return { client, reference, before: await client.getEndpoint(reference) };
}

const identifiers = { endpoint: /^whe_[0-9A-Za-z]{20}$/, delivery: /^dlv_[0-9A-Za-z]{20}$/ };

/** 404 for a text that cannot be an identifier. */
function checkIdentifier(kind: keyof typeof identifiers, id: string): void {
  if (identifiers[kind].test(id)) return;
  throw new AppError('not_found', `${kind}_not_found`, `no such ${kind}`);
}

/** The audit record of a change that a person makes. */
function changeOf(
  { actor, businessId, query: { applicationId = '' } }: Pick<EndpointCall, 'actor' | keyof OwnerCall>,
  endpoint: EndpointRecord,
  details: JsonObject = {},
) {
  return endpointChange({ actor, owner: { businessId, applicationId }, endpoint, details });
}

function endpointOperations(deps: WebhooksOperationsDeps): Operation[] {
  const { audit } = deps;
  return [
    businessOperation(specs.listWebhookEndpoints, async (input) => {
      const owner = await ownerOf(deps, input);
      const endpoints = await deps.client?.listEndpoints(owner);
      const shown = await shownEndpoints(deps, owner, endpoints ?? []);
      return { installed: endpoints !== undefined, endpoints: shown, limit: specs.maxEndpoints };
    }),
    businessOperation(specs.createWebhookEndpoint, async (input) => {
      const { client, owner } = await open(deps, input);
      checkTypes(owner, input.body.events, (index) => `events.${index}`);
      const subscribing = { actor: input.actor, owner, events: input.body.events };
      await checkSubscribing(deps, subscribing);
      const settings = { ...input.body, madeBy: input.personId };
      const { endpoint, secret } = await withFields(fieldOf, () => client.createEndpoint(owner, settings));
      const undo = () => client.deleteEndpoint({ owner, endpointId: endpoint.id });
      await checkStillSubscribing(deps, subscribing, undo);
      const change = changeOf(input, endpoint, settingsOf(endpoint));
      await audit({ ...change, action: 'webhook_endpoint.created' });
      return { endpoint: await shownEndpoint(deps, owner, endpoint), secret };
    }),
    businessOperation(specs.getWebhookEndpoint, async (input) => {
      const { reference, before } = await openEndpoint(deps, input);
      return shownEndpoint(deps, reference.owner, before);
    }),
    updateOperation(deps),
    businessOperation(specs.deleteWebhookEndpoint, async (input) => {
      const { client, reference, before } = await openEndpoint(deps, input);
      await client.deleteEndpoint(reference);
      await audit({ ...changeOf(input, before), action: 'webhook_endpoint.deleted' });
    }),
  ];
}

function updateOperation(deps: WebhooksOperationsDeps): Operation {
  return businessOperation(specs.updateWebhookEndpoint, async (input) => {
    const { client, reference, before } = await openEndpoint(deps, input);
    const { owner } = reference;
    const { url = before.url, description = before.description, events = before.events } = input.body;
    checkTypes(owner, events, (index) => `events.${index}`);
    const paths = Object.keys(input.body);
    if (paths.length === 0) return shownEndpoint(deps, owner, before);
    const subscribing = { actor: input.actor, owner, events };
    const isMaker = becomesMaker(owner, input.role === 'owner', before, {
      url,
      events: input.body.events,
    });
    if (isMaker) {
      await checkSubscribing(deps, subscribing);
      paths.push('made_by');
    }
    const settings = { url, description, events, madeBy: input.personId };
    const endpoint = await withFields(fieldOf, () => client.updateEndpoint(reference, settings, paths));
    const details = differences(settingsOf(before), settingsOf(endpoint));
    await deps.audit({ ...changeOf(input, endpoint, details), action: 'webhook_endpoint.updated' });
    if (isMaker) {
      const off = { actor: input.actor, reference, enabled: false };
      // An endpoint that worked before is not disabled merely because a database does not respond.
      const undo = async (isRefused: boolean) =>
        isRefused && switchEndpoint({ client, audit: deps.audit }, off);
      await checkStillSubscribing(deps, subscribing, undo);
    }
    return shownEndpoint(deps, owner, endpoint);
  });
}

/** Refuses event types that applications never receive. @throws InvalidInput */
function checkTypes(
  { applicationId }: Owner,
  types: readonly string[],
  fieldOf: (index: number) => string,
): void {
  if (applicationId === '') return;
  const index = types.findIndex((type) => !isWebhookEvent(type));
  if (index >= 0) throw new InvalidInput({ [fieldOf(index)]: 'is for endpoints of the business itself' });
}

type Settings = Readonly<Record<'url' | 'description' | 'webhookEvents', string>>;

/** Settings as the audit log keeps them. */
function settingsOf({ url, description, events }: EndpointRecord): Settings {
  return { url: addressOf(url), description, webhookEvents: events.join(', ') || 'all' };
}

function differences(before: Settings, now: Settings): JsonObject {
  const names = ['url', 'description', 'webhookEvents'] as const;
  const changed = names.filter((name) => before[name] !== now[name]);
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: now[name] }]));
}

function switchOperations(deps: WebhooksOperationsDeps): Operation[] {
  const { audit } = deps;
  const flip = async (input: EndpointCall, enabled: boolean) => {
    const { client, reference } = await openEndpoint(deps, input);
    const switched = await switchEndpoint({ client, audit }, { actor: input.actor, reference, enabled });
    return { ...switched, endpoint: await shownEndpoint(deps, reference.owner, switched.endpoint) };
  };
  return [
    businessOperation(specs.enableWebhookEndpoint, (input) => flip(input, true)),
    businessOperation(specs.disableWebhookEndpoint, async (input) => (await flip(input, false)).endpoint),
  ];
}

function secretOperations(deps: WebhooksOperationsDeps): Operation[] {
  const { audit, isPassword, throttle } = deps;
  return [
    businessOperation(specs.rotateWebhookSecret, async (input) => {
      const { client, reference, before } = await openEndpoint(deps, input);
      const { endOld } = input.body;
      const rotated = await client.rotateSecret(reference, endOld);
      const details = { oldSecret: endOld ? 'ended at once' : 'signs for 24 hours' };
      await audit({ ...changeOf(input, before, details), action: 'webhook_endpoint.secret_rotated' });
      const endpoint = await shownEndpoint(deps, reference.owner, rotated.endpoint);
      return { endpoint, secret: rotated.secret };
    }),
    businessOperation(specs.revealWebhookSecret, async (input) => {
      const { client, reference, before } = await openEndpoint(deps, input);
      await checkAttempts(throttle, [[rules.passwordAccount, input.personId]]);
      if (!(await isPassword(input.personId, input.body.password))) throw incorrectPassword();
      // Recorded first: a secret is never shown without it.
      await audit({ ...changeOf(input, before), action: 'webhook_endpoint.secret_revealed' });
      return client.revealSecret(reference);
    }),
  ];
}

function sendOperations(deps: WebhooksOperationsDeps): Operation[] {
  const { audit } = deps;
  return [
    businessOperation(specs.recoverWebhookDeliveries, async (input) => {
      const { client, reference } = await openEndpoint(deps, input);
      const { since } = input.body;
      const recovery = { actor: input.actor, reference, since };
      return { deliveries: await recoverEndpoint({ client, audit }, recovery) };
    }),
    businessOperation(specs.sendWebhookTest, async (input) => {
      const { client, reference, before } = await openEndpoint(deps, input);
      const { type } = input.body;
      checkTypes(reference.owner, [type], () => 'type');
      const delivery = await client.sendTestEvent(reference, type, testEventData(type));
      await audit({ ...changeOf(input, before, { event: type }), action: 'webhook_endpoint.tested' });
      return delivery;
    }),
    businessOperation(specs.checkWebhookReceiver, async (input) => {
      const { client, reference, before } = await openEndpoint(deps, input);
      await checkAttempts(deps.throttle, [[rules.receiverCheckEndpoint, reference.endpointId]]);
      const [type = 'order.paid'] = before.events;
      const report = await client.checkReceiver(reference, type, testEventData(type));
      const details = { event: type, findings: report.findings.join(', ') || 'none' };
      await audit({ ...changeOf(input, before, details), action: 'webhook_endpoint.checked' });
      return report;
    }),
  ];
}

function deliveryOperations(deps: WebhooksOperationsDeps): Operation[] {
  const { audit } = deps;
  return [
    businessOperation(deliverySpecs.listWebhookDeliveries, async (input) => {
      const { client, owner } = await open(deps, input);
      // The cursor is the one thing that webhook-service alone can read.
      return withFields({ invalid_request: 'cursor' }, () =>
        client.listDeliveries({ ...input.query, owner }),
      );
    }),
    businessOperation(deliverySpecs.getWebhookDelivery, async (input) => {
      const { client, owner } = await open(deps, input);
      const deliveryId = input.param('deliveryId');
      checkIdentifier('delivery', deliveryId);
      return client.getDelivery(owner, deliveryId);
    }),
    businessOperation(deliverySpecs.watchWebhooks, async (input) => {
      const { client, owner } = await open(deps, input);
      return (signal: AbortSignal) => client.watchDeliveries(owner, signal);
    }),
    businessOperation(deliverySpecs.resendWebhookDelivery, async (input) => {
      const { client, owner } = await open(deps, input);
      const deliveryId = input.param('deliveryId');
      checkIdentifier('delivery', deliveryId);
      return resendDelivery({ client, audit }, { actor: input.actor, owner, deliveryId });
    }),
  ];
}
