import { randomUUID } from 'node:crypto';
import type { RaisedGeneration } from '../platform/credential-generations.ts';
import { isOlder } from './keep-log.ts';
import { type LogPosition, logDays, logMs, type RevocationLog } from './log.ts';
import { type ReplayDeps, replay } from './replay.ts';
import { type LoggedEvent, planReplay, type Step } from './revocation.ts';
import { type PendingTable, pendingTables, type RestoreStore, restoreRequestPrefix } from './store.ts';
import { stepsForAll } from './without-log.ts';

export interface FinishDeps extends ReplayDeps {
  readonly log: RevocationLog;
  /** Generations as gateways know them, page by page. */
  readonly knownGenerations: () => AsyncIterable<readonly RaisedGeneration[]>;
  /** Publishes what is not published yet. Resolves to how many businesses are left. */
  readonly publishPending: () => Promise<number>;
}

export interface FinishOptions {
  /** Set if the log was lost. Then everything ends that may have been revoked since the backup. */
  readonly withoutLog?: boolean;
}

/** Revocations and other changes that a restore has repeated. */
export interface Finished {
  /** Revocations that are missing in the backup. */
  readonly lacking: number;
  /** Those among them whose subject exists in the backup. */
  readonly replayed: number;
  /** People whose logged email address no key decrypts. Their passwords no longer work. */
  readonly unopened: readonly string[];
  /** Freezes, ended Grants and passwords, and disabled endpoints that a lost log required. */
  readonly withoutLog: number;
  /** Refresh tokens that were rotated since the backup. */
  readonly refreshTokens: number;
  /** Sessions, links and codes. */
  readonly pending: number;
}

/** The log does not have everything that happened since the backup. */
export class NoLogError extends Error {
  override readonly name = 'NoLogError';
}

/** No backup was restored yet. Continuing would discard the log although none of its subjects exist. */
export class EmptyDatabaseError extends Error {
  override readonly name = 'EmptyDatabaseError';
}

/**
 * Finishes a restore. Repeats what was revoked, rotated, deleted, suspended, frozen or banned since the backup, ends
 * everything that may have been used since, and publishes new generations of all businesses, so that gateways use no earlier
 * authorization. Can be repeated after an interruption: no identity-service starts before its last step.
 * @returns undefined when this restore was already finished; then nothing has changed
 * @throws NoLogError, EmptyDatabaseError before it has changed anything
 */
export async function finishRestore(
  deps: FinishDeps,
  options: FinishOptions = {},
): Promise<Finished | undefined> {
  const { log, store } = deps;
  const position = await log.position();
  if (!position?.complete && !options.withoutLog) {
    if (await isFinished(deps, position)) return undefined;
    throw new NoLogError(
      'Redis has no complete log of revocations: what was revoked since the backup is not known (docs/operations/restore.md).',
    );
  }
  if (position?.last !== 0 && (await store.lastEvent()) === undefined) {
    throw new EmptyDatabaseError('The database has no audit event at all: no backup was restored into it.');
  }
  if (position !== undefined && !options.withoutLog) await checkReach(store, position);
  const requestId = `${restoreRequestPrefix}${randomUUID()}`;
  const lacking: LoggedEvent[] = [];
  for await (const events of log.events()) lacking.push(...(await store.lacking(events)));
  const { replayed, unopened } = await replayAll(deps, planReplay(lacking), requestId);
  const without = options.withoutLog ? await replayAll(deps, stepsForAll(deps), requestId) : undefined;
  let refreshTokens = 0;
  for await (const rotations of log.rotations()) refreshTokens += await store.useRotated(rotations);
  const pending = await endAllPending(deps);
  await raiseAllGenerations(deps);
  while ((await deps.publishPending()) > 0);
  await log.restart(await store.lastEvent(), await store.generationMark());
  const withoutLog = without?.replayed ?? 0;
  return { lacking: lacking.length, replayed, unopened, withoutLog, refreshTokens, pending };
}

/** Whether the log was restarted for this database. Any other backup has lower generations or lacks the last event. */
async function isFinished({ log, store }: FinishDeps, position: LogPosition | undefined): Promise<boolean> {
  if (position === undefined || (await isOlder(store, position))) return false;
  return (await log.finished()) === (await store.generationMark());
}

/** Refuses a backup that is older than the log, which has dropped earlier entries. @throws NoLogError */
async function checkReach(store: RestoreStore, position: LogPosition): Promise<void> {
  if (!(await isOlder(store, position))) return;
  const until = await store.backedUpUntil();
  const from = (await store.clock()) - logMs;
  if (until !== undefined && until >= from) return;
  throw new NoLogError(
    `The backup is older than the log of revocations reaches (${logDays} days): what was revoked in between is not known. ` +
      'Use a newer backup, or --without-log (docs/operations/restore.md).',
  );
}

/** Raises generations above those of the backup and those in Redis, which an earlier restore may have raised. */
async function raiseAllGenerations({ store, knownGenerations }: FinishDeps): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; ) last = await store.raiseGenerations(last);
  for await (const known of knownGenerations()) await store.raiseAbove(known);
}

/** Resolves to the number of steps that had an effect, and the people whose address could not be decrypted. */
async function replayAll(
  deps: ReplayDeps,
  steps: Iterable<Step> | AsyncIterable<Step>,
  requestId: string,
): Promise<Pick<Finished, 'replayed' | 'unopened'>> {
  let replayed = 0;
  const people = new Set<string>();
  for await (const step of steps) {
    const outcome = await replay(deps, step, requestId);
    if (outcome !== 'absent') replayed++;
    if (outcome === 'unopened') people.add(step.event.subjectId);
  }
  return { replayed, unopened: [...people] };
}

async function endAllPending({ store }: FinishDeps): Promise<number> {
  let ended = 0;
  for (const table of Object.keys(pendingTables) as PendingTable[]) {
    for (let rows = -1; rows !== 0; ended += rows) rows = await store.endPending(table);
  }
  return ended;
}
