import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { KnownEvents, settledAfterMs } from './known-events.ts';
import type { LogPosition, RevocationLog } from './log.ts';
import { logMs } from './log.ts';
import { toLogged } from './revocation.ts';
import type { RestoreStore } from './store.ts';

/** Milliseconds between searches for new revocations. */
const everyMs = 1_000;

/** Audit events that are read at once. */
const pageSize = 1_000;

/** Milliseconds of rotations that are read at once: an hour. */
const spanMs = 3_600_000;

interface KeepLogDeps {
  readonly log: RevocationLog;
  readonly store: RestoreStore;
}

/** The database is older than the log: it was restored, and credentials that were revoked since would work again. */
export class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError';
}

/** @throws OlderDatabaseError, so that no process serves from a restored database before the log was replayed */
export async function checkNotOlder({ log, store }: KeepLogDeps): Promise<void> {
  const position = await log.position();
  if (position !== undefined) await checkLast(store, position);
}

async function checkLast(store: RestoreStore, position: LogPosition): Promise<void> {
  if (!(await isOlder(store, position))) return;
  throw new OlderDatabaseError(
    `The database is older than the log of revocations in Redis (it does not have the log's audit event ${position.last}): ` +
      'it was restored, and what was revoked since would work again. Run restore/main.ts (docs/operations/restore.md).',
  );
}

/** Compares the time as well, because a restored database assigns the same numbers again, even during the replay. */
export async function isOlder(store: RestoreStore, { last, lastAt }: LogPosition): Promise<boolean> {
  if (last === 0) return false;
  const at = await store.timeOf(last);
  return at === undefined || (lastAt !== undefined && at !== lastAt);
}

/**
 * Copies one page of new events and rotations into the log.
 * @param after audit event before the page, when it is not the first one of a round
 * @returns the event before the next page; undefined when there is none
 */
async function appendPage(
  { log, store }: KeepLogDeps,
  known: KnownEvents,
  after: number | undefined,
): Promise<number | undefined> {
  const position = await log.position();
  if (position !== undefined) await checkLast(store, position);
  const now = await store.clock();
  const keepFrom = now - logMs;
  const begin = known.startFrom(position, after !== undefined);
  if (begin === undefined) return undefined;
  const start = after ?? begin;
  const events = await store.eventsAfter(start, pageSize);
  const from = Math.max(position?.rotatedUntil ?? 0, keepFrom);
  // Skips hours without rotations. An old or quiet database would otherwise need hundreds of pages at the start.
  const first = from + spanMs > now ? from : ((await store.firstRotation(from)) ?? now);
  const to = Math.min(first + spanMs, now + 1);
  const rotations = await store.rotationsBetween(from, to);
  const end = events.at(-1)?.id ?? start;
  const complete = events.length < pageSize && to > now;
  const next: LogPosition = {
    after: known.settled(events, now) ?? position?.after ?? 0,
    rotatedUntil: Math.min(to, now - settledAfterMs),
    last: end,
    lastAt: events.at(-1)?.at,
    complete,
  };
  const logged = events.filter(({ at }) => at >= keepFrom).flatMap((event) => toLogged(event) ?? []);
  const mark = known.nextMark();
  if (!(await log.append(position, next, { events: logged, rotations, mark }, keepFrom))) {
    known.forget();
    return undefined;
  }
  known.add(events, mark);
  return complete ? undefined : end;
}

/**
 * Keeps the log: every replica reads recent revocations and adds them. Adding an entry twice changes nothing. An empty Redis
 * gets all entries of the last weeks again.
 */
export function startRevocationLog(deps: KeepLogDeps, logger: Logger, resources: AsyncDisposableStack): void {
  const known = new KnownEvents();
  const loop = startLoop({
    name: 'revocation log',
    everyMs,
    round: async (signal) => {
      let after: number | undefined;
      try {
        do after = await appendPage(deps, known, after);
        while (after !== undefined && !signal.aborted);
      } catch (error) {
        // After a failure, the database or the log may be a different one.
        known.forget();
        throw error;
      }
    },
    logger,
  });
  resources.defer(loop.stop);
}
