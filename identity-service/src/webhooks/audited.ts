import type { EndpointReference, Owner, WebhookCalls } from '../clients/webhook.ts';
import type { DeliveryRecord, EndpointRecord } from '../clients/webhook-records.ts';
import type { Actor, AuditEvent, JsonObject } from '../platform/actor.ts';
import { addressOf } from './warning.ts';

interface Change {
  readonly actor: Actor;
  readonly owner: Owner;
  readonly endpoint: Pick<EndpointRecord, 'id' | 'url'>;
  readonly details?: JsonObject;
}

/**
 * The audit event of a change to an endpoint, without its action. It is written after the change in webhook-service, which
 * has a separate database: an event for a change that never happened would be worse than an error after a change that did.
 */
export function endpointChange({ actor, owner, endpoint, details = {} }: Change): Omit<AuditEvent, 'action'> {
  const { businessId, applicationId } = owner;
  return {
    actor,
    businessId,
    subjectId: endpoint.id,
    details: { applicationId: applicationId || undefined, endpoint: addressOf(endpoint.url), ...details },
  };
}

export interface AuditedDeps {
  readonly client: WebhookCalls;
  readonly audit: (event: AuditEvent) => Promise<void>;
}

interface SwitchInput {
  readonly actor: Actor;
  readonly reference: EndpointReference;
  readonly enabled: boolean;
}

/** Enables or disables an endpoint; resolves to it and to how many deliveries could be recovered. @throws AppError */
export async function switchEndpoint(
  { client, audit }: AuditedDeps,
  { actor, reference, enabled }: SwitchInput,
): Promise<{ readonly endpoint: EndpointRecord; readonly recoverable: number }> {
  const switched = enabled
    ? await client.enableEndpoint(reference)
    : { endpoint: await client.disableEndpoint(reference), recoverable: 0 };
  const change = endpointChange({ actor, owner: reference.owner, endpoint: switched.endpoint });
  if (enabled) await audit({ ...change, action: 'webhook_endpoint.enabled' });
  else await audit({ ...change, action: 'webhook_endpoint.disabled' });
  return switched;
}

interface RecoverInput {
  readonly actor: Actor;
  readonly reference: EndpointReference;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Sends again what was not delivered since; resolves to how many deliveries that is. @throws AppError */
export async function recoverEndpoint(
  { client, audit }: AuditedDeps,
  { actor, reference, since }: RecoverInput,
): Promise<number> {
  const endpoint = await client.getEndpoint(reference);
  const deliveries = await client.recoverDeliveries(reference, since);
  const details = { sinceAt: since, deliveries };
  const change = endpointChange({ actor, owner: reference.owner, endpoint, details });
  await audit({ ...change, action: 'webhook_endpoint.recovered' });
  return deliveries;
}

/** Skips what is pending for an endpoint; resolves to how many deliveries that is. @throws AppError */
export async function drainEndpoint(
  { client, audit }: AuditedDeps,
  { actor, reference }: Omit<RecoverInput, 'since'>,
): Promise<number> {
  const endpoint = await client.getEndpoint(reference);
  const deliveries = await client.drainDeliveries(reference);
  const change = endpointChange({ actor, owner: reference.owner, endpoint, details: { deliveries } });
  await audit({ ...change, action: 'webhook_endpoint.drained' });
  return deliveries;
}

interface ResendInput {
  readonly actor: Actor;
  readonly owner: Owner;
  readonly deliveryId: string;
}

/** Sends a delivery again; its endpoint is read first, since the audit event names it. @throws AppError */
export async function resendDelivery(
  { client, audit }: AuditedDeps,
  { actor, owner, deliveryId }: ResendInput,
): Promise<DeliveryRecord> {
  const { endpointId } = (await client.getDelivery(owner, deliveryId)).delivery;
  const endpoint = await client.getEndpoint({ owner, endpointId });
  const delivery = await client.resendDelivery(owner, deliveryId);
  const details = { event: delivery.type, delivery: deliveryId };
  await audit({ ...endpointChange({ actor, owner, endpoint, details }), action: 'webhook_endpoint.resent' });
  return delivery;
}
