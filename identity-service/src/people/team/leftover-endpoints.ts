import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { MadeEndpoint, WebhookClient } from '../../clients/webhook.ts';
import type { ApplicationStore } from '../../credentials/applications/store.ts';
import type { Actor } from '../../platform/actor.ts';
import { type AuditedDeps, endpointChange } from '../../webhooks/audited.ts';
import { addressOf } from '../../webhooks/warning.ts';
import type { Leftover } from './leftover.ts';

const prefix = 'webhook_endpoint:';

export interface EndpointLeftoversDeps {
  /** Undefined in an installation without webhook-service. */
  readonly client: Pick<WebhookClient, 'listMadeEndpoints' | 'endMadeEndpoints'> | undefined;
  readonly audit: AuditedDeps['audit'];
  readonly applications: Pick<ApplicationStore, 'list'>;
}

/** The endpoints that a person made, as leftovers; undefined while webhook-service does not respond. */
export async function madeEndpoints(
  { client, applications }: EndpointLeftoversDeps,
  businessId: number,
  personId: string,
): Promise<Leftover[] | undefined> {
  if (client === undefined) return [];
  const made = await orUndefined(client.listMadeEndpoints(businessId, personId));
  if (made === undefined || made.length === 0) return made && [];
  const names = new Map((await applications.list(businessId)).map(({ id, name }) => [id, name]));
  return made.map(({ endpoint, applicationId }) => ({
    id: `${prefix}${endpoint.id}`,
    kind: 'webhook_endpoint',
    label: addressOf(endpoint.url),
    application:
      applicationId === '' ? undefined : { id: applicationId, name: names.get(applicationId) ?? '' },
    madeAt: endpoint.createdAt,
    lastUsedAt: endpoint.lastSuccessAt,
    others: 0,
  }));
}

interface EndEndpointsInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The owner who decides, and becomes the maker of kept endpoints. */
  readonly personId: string;
  readonly memberId: string;
  readonly kept: readonly string[];
}

/**
 * Deletes the endpoints that a person made, except kept ones: all of them or none. False if webhook-service does not respond
 * and none was deleted. It has a separate database, and its outage must not prevent the removal of a member.
 */
export async function endEndpoints(
  { client, audit }: EndpointLeftoversDeps,
  { actor, businessId, personId, memberId, kept }: EndEndpointsInput,
): Promise<boolean> {
  if (client === undefined) return true;
  const keptIds = kept.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
  const ending = { businessId, madeBy: memberId, keptIds, keptBy: personId };
  const ended: MadeEndpoint[] | undefined = await orUndefined(client.endMadeEndpoints(ending));
  for (const { endpoint, applicationId } of ended ?? []) {
    const change = endpointChange({ actor, owner: { businessId, applicationId }, endpoint });
    await audit({ ...change, action: 'webhook_endpoint.deleted' });
  }
  return ended !== undefined;
}

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') return undefined;
    throw error;
  }
}
