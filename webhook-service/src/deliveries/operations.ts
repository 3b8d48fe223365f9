import { AppError } from '@platform/service-kit/values/app-error.ts';
import { eventBody } from '@platform/service-kit/values/event-body.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import { endpointNotFound, type Owner } from '../endpoints/endpoint.ts';
import type { EndpointStore } from '../endpoints/store.ts';
import type { Instant } from '../values.ts';
import type { ClaimStore } from './claim-store.ts';
import { type Delivery, deliveryNotFound } from './delivery.ts';
import type { DeliveryStore } from './store.ts';

export interface DeliveryDeps {
  readonly deliveries: DeliveryStore;
  readonly endpoints: Pick<EndpointStore, 'find'>;
  /** Puts endpoints into the queue. */
  readonly wake: (endpointIds: readonly string[]) => Promise<void>;
  /** Ends one batch of what is pending; see `claim-store.ts`. */
  readonly skip: ClaimStore['skip'];
  readonly databaseClock: ClaimStore['clock'];
  /** Recovers in the background what failed since. */
  readonly recoverLater: (recovery: Omit<Recovery, 'until'>) => Promise<void>;
  readonly now: () => Instant;
}

/** Sends a delivery again: the same bytes, a new schedule. @throws AppError `not_found`; `failed_precondition` while disabled */
export async function resendDelivery(
  { deliveries, wake }: DeliveryDeps,
  { owner, deliveryId }: { readonly owner: Owner; readonly deliveryId: string },
): Promise<Delivery> {
  const delivery = await deliveries.resend(owner, deliveryId);
  if (delivery === undefined) {
    throw (await deliveries.find(owner, deliveryId)) === undefined ? deliveryNotFound() : disabled();
  }
  await wake([delivery.endpointId]);
  return delivery;
}

interface RecoverInput {
  readonly owner: Owner;
  readonly endpointId: string;
  readonly since: Instant;
}

/** Sends again what failed or was skipped since a time; resolves to the number of deliveries, counted up to 100,000. */
export async function recoverDeliveries(
  deps: DeliveryDeps,
  { owner, endpointId, since }: RecoverInput,
): Promise<number> {
  const endpoint = await deps.endpoints.find(owner, endpointId);
  if (endpoint === undefined) throw endpointNotFound();
  if (!endpoint.enabled) throw disabled();
  const total = await deps.deliveries.countRecoverable(endpointId, since);
  if (total === 0) return 0;
  const recoveryId = randomId('rcv');
  await deps.deliveries.beginRecovery({ id: recoveryId, endpointId, since, total });
  await deps.recoverLater({ recoveryId, endpointId, since });
  return total;
}

/** Rows per statement. */
const recoverSize = 500;
const drainSize = 5_000;

/** Skips what is pending for an endpoint now; resolves to how many deliveries that is. @throws AppError `not_found` */
export async function drainDeliveries(
  { endpoints, skip, databaseClock }: Pick<DeliveryDeps, 'endpoints' | 'skip' | 'databaseClock'>,
  { owner, endpointId }: Omit<RecoverInput, 'since'>,
): Promise<number> {
  if ((await endpoints.find(owner, endpointId)) === undefined) throw endpointNotFound();
  const until = await databaseClock();
  let total = 0;
  for (;;) {
    const skipped = await skip(endpointId, drainSize, until);
    total += skipped;
    if (skipped < drainSize) return total;
  }
}

interface Recovery {
  readonly recoveryId: string;
  readonly endpointId: string;
  readonly since: Instant;
  readonly until: Instant;
}

/** Makes failed and skipped deliveries pending again, in batches. Ignores those that fail after `until`, so that it ends. */
export async function recoverAll(
  { deliveries, wake }: Pick<DeliveryDeps, 'deliveries' | 'wake'>,
  recovery: Recovery,
): Promise<void> {
  const { endpointId, recoveryId } = recovery;
  let after: Awaited<ReturnType<typeof deliveries.recover>>['last'];
  for (;;) {
    const { count, last } = await deliveries.recover({ ...recovery, after, limit: recoverSize });
    await wake([endpointId]);
    if (count < recoverSize) break;
    after = last;
  }
  await deliveries.endRecovery(recoveryId);
}

/** Placeholder for the id of a business: in checks, and in test events before the first event of the business was read. */
export const exampleBusiness = `biz_${'0'.repeat(20)}`;

interface TestEventInput {
  readonly owner: Owner;
  readonly endpointId: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
}

/** Stores an example event for one endpoint and resolves to its delivery. @throws AppError `not_found` */
export async function sendTestEvent(
  deps: DeliveryDeps,
  { owner, endpointId, type, data }: TestEventInput,
): Promise<Delivery> {
  const endpoint = await deps.endpoints.find(owner, endpointId);
  if (endpoint === undefined) throw endpointNotFound();
  if (!endpoint.enabled) throw disabled();
  const eventId = randomId('evt');
  const { businessId } = owner;
  const business = (await deps.deliveries.uniqueIdOf(businessId)) ?? exampleBusiness;
  const envelope = { id: eventId, type, createdAt: deps.now(), business, sequence: 0, previous: 0 };
  const delivery = await deps.deliveries.addTestEvent({
    deliveryId: randomId('dlv'),
    endpointId,
    eventId,
    businessId,
    type,
    body: eventBody({ ...envelope, data }),
  });
  if (delivery === undefined) throw endpointNotFound();
  await deps.wake([endpointId]);
  return delivery;
}

function disabled(): AppError {
  return new AppError('failed_precondition', 'endpoint_disabled', 'enable the endpoint first');
}
