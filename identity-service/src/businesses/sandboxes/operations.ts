import { randomBytes } from 'node:crypto';
import { AppError, toAppError } from '@platform/service-kit/values/app-error.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import type { SandboxOrders } from '../../clients/business.ts';
import type { WebhookCalls } from '../../clients/webhook.ts';
import { deleteApiKeys } from '../../credentials/api-keys/operations.ts';
import type { ApiKeyStore } from '../../credentials/api-keys/store.ts';
import { deleteApplication } from '../../credentials/applications/operations.ts';
import type { ApplicationStore } from '../../credentials/applications/store.ts';
import { disconnectGrant } from '../../credentials/grants/end-grant.ts';
import type { GrantStore } from '../../credentials/grants/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Propagate } from '../../platform/credential-generations.ts';
import type { RetiredStore } from '../../traffic/retired-store.ts';
import type { CreateBusinessDeps } from '../creation.ts';
import { checkRoomForSandbox } from './sandbox.ts';
import type { Sandbox, SandboxStore } from './store.ts';

/** Orders of one press. */
const ordersAtOnce = 50;

/** Orders of one call to business-service. */
const ordersPerCall = 10;

/** Orders that come one a minute after one press. */
const ordersInMinutes = 10;

interface SandboxReader {
  readonly sandboxes: Pick<SandboxStore, 'find'>;
}

export interface CreateSandboxDeps extends CreateBusinessDeps {
  readonly sandboxes: Pick<SandboxStore, 'countOf'>;
}

/** Creates a sandbox of a person, its owner. Resolves to the business. @throws AppError failed_precondition with too many */
export async function createSandbox(
  { sandboxes, creations, createBusiness }: CreateSandboxDeps,
  actor: Actor,
): Promise<number> {
  const { made, present } = await sandboxes.countOf(actor.id);
  checkRoomForSandbox(present);
  const accountHolder = made === 0 ? 'Sandbox' : `Sandbox ${made + 1}`;
  const username = `sandbox-${randomBytes(8).toString('hex')}`;
  const creationKey = await creations.begin(actor.id, username, `sandbox:${randomHexId('new')}`);
  const draft = { accountHolder, username, creationKey, isSandbox: true };
  const created = await createBusiness(draft, actor.requestId);
  if (created.kind !== 'created') throw new Error('a random username is taken');
  await creations.complete({ actor, username, businessId: created.businessId, isSandbox: true });
  return created.businessId;
}

/** Reads a sandbox. @throws AppError not_found for any other business, and for one that has ended */
export async function getSandbox({ sandboxes }: SandboxReader, businessId: number): Promise<Sandbox> {
  const sandbox = await sandboxes.find(businessId);
  if (sandbox === undefined)
    throw new AppError('not_found', 'not_a_sandbox', 'the business is not a sandbox');
  return sandbox;
}

export interface OrdersDeps {
  readonly sandboxes: SandboxStore;
  readonly sandboxOrders: SandboxOrders;
}

/** Adds invented orders in all states. If a call fails, the orders of earlier ones stay. @throws AppError */
export async function addOrders(deps: OrdersDeps, businessId: number): Promise<void> {
  await getSandbox(deps, businessId);
  for (let added = 0; added < ordersAtOnce; added += ordersPerCall) {
    await deps.sandboxOrders.add(businessId, { count: ordersPerCall, inAllStates: true });
  }
}

/** Lets invented orders come, one a minute. @throws AppError */
export async function startOrders(deps: OrdersDeps, businessId: number): Promise<void> {
  await getSandbox(deps, businessId);
  await deps.sandboxes.setOrdersDue(businessId, ordersInMinutes);
}

/** Deletes all orders, and those that are still to come. @throws AppError */
export async function removeOrders(deps: OrdersDeps, businessId: number): Promise<void> {
  await getSandbox(deps, businessId);
  await deps.sandboxes.setOrdersDue(businessId, 0);
  await deps.sandboxOrders.removeAll(businessId);
}

export interface EndSandboxDeps extends OrdersDeps {
  readonly keys: ApiKeyStore;
  readonly applications: ApplicationStore;
  readonly grants: GrantStore;
  readonly retired: Pick<RetiredStore, 'forget'>;
  readonly propagate: Propagate;
  /** Undefined in an installation without webhook-service. */
  readonly webhooks: Pick<WebhookCalls, 'listEndpoints' | 'deleteEndpoint'> | undefined;
}

/** Ends a sandbox for its team, then deletes what it has; a round does so again for what requests in progress add. @throws AppError */
export async function endSandbox(deps: EndSandboxDeps, actor: Actor, businessId: number): Promise<void> {
  await getSandbox(deps, businessId);
  await deps.sandboxes.inTransaction(async ({ team, end, audit, removeTeam }) => {
    await team.lockMembers(businessId);
    if (!(await end(businessId))) return;
    // Before the memberships end, because its owners hear of it.
    const event = { actor, businessId, subjectId: String(businessId), details: {} };
    await audit({ ...event, action: 'business.ended' });
    await removeTeam(businessId);
  });
  await clearSandbox(deps, actor, businessId);
}

/** Deletes all that an ended sandbox still has: connections, apps, keys, endpoints and orders. @throws AppError */
export async function clearSandbox(deps: EndSandboxDeps, actor: Actor, businessId: number): Promise<void> {
  await removeCredentials(deps, actor, businessId);
  await removeEndpoints(deps.webhooks, businessId);
  await deps.sandboxOrders.removeAll(businessId);
}

async function removeEndpoints(client: EndSandboxDeps['webhooks'], businessId: number): Promise<void> {
  if (client === undefined) return;
  const owner = { businessId, applicationId: '' };
  for (const { id: endpointId } of await client.listEndpoints(owner)) {
    await unlessGone(client.deleteEndpoint({ owner, endpointId }));
  }
}

/** Another process may end the same sandbox. */
async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (toAppError(error).kind !== 'not_found') throw error;
  });
}

async function removeCredentials(deps: EndSandboxDeps, actor: Actor, businessId: number): Promise<void> {
  const { apiKeyIds, applicationIds, grantIds } = await deps.sandboxes.belongings(businessId);
  for (const grantId of grantIds) {
    await unlessGone(disconnectGrant(deps, { actor, businessId, grantId }));
  }
  for (const applicationId of applicationIds) {
    await unlessGone(deleteApplication(deps, { actor, businessId, applicationId }));
  }
  if (apiKeyIds.length > 0) await deleteApiKeys(deps, { actor, businessId, apiKeyIds });
  await deps.retired.forget(businessId);
}
