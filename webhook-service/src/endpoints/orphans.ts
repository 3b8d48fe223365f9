import type { Logger } from '@platform/service-kit/logger.ts';
import { type Loop, startLoop } from '@platform/service-kit/loop.ts';
import { type EndpointDeps, removeEndpoint } from './operations.ts';
import type { EndpointStore } from './store.ts';

interface OrphanOptions {
  readonly endpoints: Pick<EndpointStore, 'applicationIds' | 'ofApplications' | 'disable' | 'remove'>;
  readonly deliveries: Pick<EndpointDeps['deliveries'], 'removeSome'>;
  /** Those of these applications that were deleted. @throws AppError unavailable */
  readonly findDeletedApplications: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly logger: Logger;
  /** Milliseconds between two rounds. */
  readonly intervalMs: number;
}

/** Applications that one call asks for. */
const pageSize = 500;

/**
 * Deletes the endpoints of deleted applications. identity-service is asked, rather than that it calls at each deletion:
 * so none is missed, whichever service was down.
 */
export function startOrphanRemoval(options: OrphanOptions): Loop {
  const { endpoints, findDeletedApplications, logger, intervalMs } = options;
  return startLoop({
    name: 'endpoints of deleted applications',
    everyMs: intervalMs,
    round: async (signal) => {
      let after = '';
      while (!signal.aborted) {
        const ids = await endpoints.applicationIds(after, pageSize);
        if (ids.length === 0) return;
        const deleted = await findDeletedApplications(ids);
        for (const { id, owner } of await endpoints.ofApplications(deleted)) {
          await removeEndpoint(options, { owner, endpointId: id });
          logger.info(
            { endpointId: id, applicationId: owner.applicationId },
            'endpoint of a deleted application deleted',
          );
        }
        after = ids.at(-1) ?? '';
      }
    },
    logger,
  });
}
