import { AppError } from '@platform/service-kit/app-error.ts';

/*
 * Lookups that wait at the same moment share a query. The few queries that run at once never fill the pool, and what
 * arrives faster than they end makes the next one longer instead of more numerous: the load on PostgreSQL follows what it
 * can do, without a limit to tune. A lookup is given up late: when its turn comes and its client could no longer hear.
 */

/** Finds by any of several hashes; undefined when there is none. @throws AppError unavailable when it would be too late */
export type Lookup<Found> = (hashes: readonly Buffer[], endsAt: number) => Promise<Found | undefined>;

export interface SharedLookupOptions<Found> {
  /** Finds all of them in one snapshot, by hash in hexadecimal. */
  readonly query: (hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Found>>;
  /** Hears how long a lookup waited for its turn, and how long a query took, in milliseconds. */
  readonly onWaited: (ms: number) => void;
  readonly onQueried: (ms: number) => void;
}

interface Waiting<Found> {
  readonly hashes: readonly Buffer[];
  readonly since: number;
  readonly endsAt: number;
  readonly resolve: (found: Found | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const maxQueries = 3;

const maxPerQuery = 100;

const maxWaiting = 5_000;

export function createSharedLookup<Found>(options: SharedLookupOptions<Found>): Lookup<Found> {
  const { onWaited, onQueried } = options;
  let waiting: Waiting<Found>[] = [];
  let running = 0;
  let isScheduled = false;
  /** What a query takes, in milliseconds, as of late. */
  let usualMs = 0;

  /** Everything that arrived in one turn of the event loop goes into one query. */
  function schedule(): void {
    if (isScheduled || running >= maxQueries || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const batch = takeBatch();
      if (batch.length > 0) void run(batch);
      schedule();
    });
  }

  function takeBatch(): Waiting<Found>[] {
    const now = performance.now();
    const inTime = waiting.filter(({ endsAt, reject }) => {
      const isLate = endsAt - now < usualMs;
      if (isLate) reject(overloaded());
      return !isLate;
    });
    waiting = inTime.slice(maxPerQuery);
    return inTime.slice(0, maxPerQuery);
  }

  async function run(batch: readonly Waiting<Found>[]): Promise<void> {
    running++;
    const startedAt = performance.now();
    for (const { since } of batch) onWaited(startedAt - since);
    try {
      const found = await options.query(batch.flatMap(({ hashes }) => hashes));
      const tookMs = performance.now() - startedAt;
      usualMs += (tookMs - usualMs) / 8;
      onQueried(tookMs);
      for (const { hashes, resolve } of batch) resolve(firstOf(hashes, found));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
      schedule();
    }
  }

  return (hashes, endsAt) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) return reject(overloaded());
      waiting.push({ hashes, endsAt, since: performance.now(), resolve, reject });
      schedule();
    });
}

function firstOf<Found>(hashes: readonly Buffer[], found: ReadonlyMap<string, Found>): Found | undefined {
  for (const hash of hashes) {
    const match = found.get(hash.toString('hex'));
    if (match !== undefined) return match;
  }
  return undefined;
}

const overloaded = () => new AppError('unavailable', 'overloaded', 'too much is waiting');
