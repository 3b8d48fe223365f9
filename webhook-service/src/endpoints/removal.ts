import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { RemovalStore } from './removal-store.ts';
import type { EndpointStore } from './store.ts';

interface RemovalOptions {
  readonly endpoints: Pick<EndpointStore, 'markDeleted'>;
  readonly store: RemovalStore;
  /** Those of these applications that were deleted. @throws AppError unavailable */
  readonly findDeletedApplications: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly logger: Logger;
  /** Milliseconds between two rounds. */
  readonly intervalMs: number;
}

/** Applications per call, and endpoints per round. */
const pageSize = 500;

/** Deliveries that one statement deletes. */
const batchSize = 1_000;

/** Deletes the endpoints of deleted applications, and the rows of all deleted endpoints. */
export function startEndpointRemoval(options: RemovalOptions): Loop {
  const { logger, intervalMs } = options;
  return startLoop({
    name: 'deleted endpoints',
    everyMs: intervalMs,
    round: async (signal) => {
      try {
        await deleteOrphans(options, signal);
      } finally {
        // Runs even if identity-service does not respond.
        await removeDeleted(options, signal);
      }
    },
    logger,
  });
}

/**
 * Deletes the endpoints of deleted applications. Polls identity-service instead of being called at each deletion, so that
 * none is missed while one of the services is down.
 */
async function deleteOrphans(
  { endpoints, store, findDeletedApplications, logger }: RemovalOptions,
  signal: AbortSignal,
): Promise<void> {
  let after = '';
  while (!signal.aborted) {
    const ids = await store.applicationIds(after, pageSize);
    if (ids.length === 0) return;
    const deleted = await findDeletedApplications(ids);
    for (const { id: endpointId, owner } of await store.ofApplications(deleted)) {
      if (!(await endpoints.markDeleted(owner, endpointId))) continue;
      const { applicationId } = owner;
      logger.info({ endpointId, applicationId }, 'endpoint of a deleted application deleted');
    }
    after = ids.at(-1) ?? '';
  }
}

/** Deletes rows of deleted endpoints. Rows that are locked, or were just added from a feed, are left for the next round. */
async function removeDeleted({ store, logger }: RemovalOptions, signal: AbortSignal): Promise<void> {
  for (const endpointId of await store.list(pageSize)) {
    while (!signal.aborted && (await store.removeDeliveries(endpointId, batchSize)) === batchSize);
    if (signal.aborted) return;
    if (await store.remove(endpointId)) logger.info({ endpointId }, 'deleted endpoint removed');
  }
}
