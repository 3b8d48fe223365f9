import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { requestIdFrom } from '@platform/service-kit/telemetry/request-context.ts';
import type { BanChanges, ListBanChanges } from '../../clients/business.ts';
import { type SyncBanDeps, syncPublisherBan } from './suspend.ts';

/** Milliseconds between checks for bans that did not pass through this service. */
const everyMs = 5_000;

/** Changes per request; business-service takes 1,000. */
const pageSize = 200;

interface BanWatchDeps extends SyncBanDeps {
  readonly listBanChanges: ListBanChanges;
}

/**
 * Keeps the applications of banned publishers suspended. A ban by an operator suspends them before its response. This watch
 * finds all other bans, and those that were interrupted after business-service had stored them. It reads only changes.
 */
export function startBanWatch(deps: BanWatchDeps, logger: Logger, resources: AsyncDisposableStack): void {
  const loop = startLoop({
    name: 'publisher bans',
    everyMs,
    round: (signal) => noteBanChanges(deps, signal),
    logger,
  });
  resources.defer(loop.stop);
}

/** @throws the first failure, after all publishers were tried */
async function noteBanChanges(deps: BanWatchDeps, signal: AbortSignal): Promise<void> {
  const { applications, listBanChanges } = deps;
  const requestId = requestIdFrom(undefined);
  const failures: unknown[] = [];
  for (let after = await applications.banCursor(); !signal.aborted; ) {
    const { changes, lastSequence } = await listBanChanges({ after, limit: pageSize }, requestId);
    if (after === 0) failures.push(...(await recheckNoted(deps, signal, requestId)));
    failures.push(...(await notePage(deps, changes, requestId)));
    // A sequence below the cursor means that business-service was restored from a backup: read from the start.
    const next = lastSequence < after ? 0 : lastSequence;
    // Moved last and only without failures, so that an incomplete page is read again.
    if (next !== after && failures.length === 0) await applications.moveBanCursor(after, next);
    if (changes.length < pageSize) break;
    after = next;
  }
  if (failures.length > 0) throw failures[0];
}

/** Rechecks bans that are already noted: their end may not be in the list. Resolves to the failures. */
async function recheckNoted(
  deps: BanWatchDeps,
  signal: AbortSignal,
  requestId: string,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (let after = 0; !signal.aborted; ) {
    const noted = await deps.applications.notedAfter(after, pageSize);
    const last = noted.at(-1);
    if (last === undefined) break;
    const banned = await deps.findBanned(noted, requestId);
    const lifted = noted.filter((businessId) => !banned.has(businessId));
    failures.push(...(await note(deps, lifted, requestId)));
    after = last;
  }
  return failures;
}

async function notePage(
  deps: BanWatchDeps,
  changes: BanChanges['changes'],
  requestId: string,
): Promise<readonly unknown[]> {
  if (changes.length === 0) return [];
  const noted = await deps.applications.notedBans(changes.map(({ businessId }) => businessId));
  const unknown = changes.filter(({ businessId, isBanned }) => noted.has(businessId) !== isBanned);
  return note(
    deps,
    unknown.map(({ businessId }) => businessId),
    requestId,
  );
}

/** Resolves to the failures. */
async function note(
  deps: SyncBanDeps,
  businessIds: readonly number[],
  requestId: string,
): Promise<readonly unknown[]> {
  const actor = { kind: 'system', id: 'identity-service', clientIp: undefined, requestId } as const;
  const failures: unknown[] = [];
  for (const businessId of businessIds) {
    await syncPublisherBan(deps, { actor, businessId }).catch((error) => failures.push(error));
  }
  return failures;
}
