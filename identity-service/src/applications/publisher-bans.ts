import type { Logger } from '@platform/service-kit/logger.ts';
import { startLoop } from '@platform/service-kit/loop.ts';
import { requestIdFrom } from '@platform/service-kit/request-context.ts';
import { type SyncBanDeps, syncPublisherBan } from './suspend.ts';

/** Milliseconds between two looks for bans that were made or lifted past this service. */
const everyMs = 2_000;

/** Publishers per question to business-service; it takes 1,000. */
const pageSize = 1_000;

/**
 * Keeps the applications of banned publishers suspended. `npm run admin -- business ban` has it done before it responds; this
 * finds the bans of every other way, and those of a command that was interrupted.
 */
export function startBanWatch(deps: SyncBanDeps, logger: Logger, resources: AsyncDisposableStack): void {
  const loop = startLoop({
    name: 'publisher bans',
    everyMs,
    round: (signal) => syncChangedBans(deps, signal),
    logger,
  });
  resources.defer(loop.stop);
}

async function syncChangedBans(deps: SyncBanDeps, signal: AbortSignal): Promise<void> {
  const { applications, findBanned } = deps;
  const requestId = requestIdFrom(undefined);
  const actor = { kind: 'system', id: 'identity-service', clientIp: undefined, requestId } as const;
  for (let after = 0; !signal.aborted; ) {
    const publishers = await applications.publishers(after, pageSize);
    const last = publishers.at(-1);
    if (last === undefined) return;
    const banned = await findBanned(
      publishers.map(({ businessId }) => businessId),
      requestId,
    );
    const changed = publishers.filter(({ businessId, isNoted }) => banned.has(businessId) !== isNoted);
    for (const { businessId } of changed) await syncPublisherBan(deps, { actor, businessId });
    after = last.businessId;
  }
}
