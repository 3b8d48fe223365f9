import {
  continueRequest,
  currentRequest,
  type RequestContext,
} from '@platform/service-kit/telemetry/request-context.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';

/*
 * Waiting lookups share a query, and at most three queries run at once. Under load queries grow larger, not more numerous,
 * and never fill the pool. A lookup is rejected if the usual query would miss its deadline. If that rejects all of them
 * while no query runs, one lookup runs nevertheless, since only a query can show that queries are fast again.
 */

/** Finds by any of several hashes. @throws AppError unavailable when the deadline cannot be met */
export type Lookup<Found> = (hashes: readonly Buffer[], endsAt: number) => Promise<Found | undefined>;

export interface SharedLookupOptions<Found> {
  /** Finds all of them in one snapshot, by hash in hexadecimal. */
  readonly query: (hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Found>>;
  /** Called with the milliseconds that a lookup waited, and that a query took. */
  readonly onWaited: (ms: number) => void;
  readonly onQueried: (ms: number) => void;
}

interface Waiting<Found> {
  readonly hashes: readonly Buffer[];
  readonly since: number;
  readonly endsAt: number;
  readonly request: RequestContext | undefined;
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
  /** Moving average of a query's duration, in milliseconds. */
  let usualMs = 0;

  /** Collects the lookups of one turn of the event loop into one query. */
  function schedule(): void {
    if (isScheduled || running >= maxQueries || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const batch = takeBatch();
      if (batch.length > 0) void continueRequest(requestFor(batch), () => run(batch));
      schedule();
    });
  }

  function takeBatch(): Waiting<Found>[] {
    const now = performance.now();
    const isInTime = ({ endsAt }: Waiting<Found>) => endsAt - now >= usualMs;
    const needsTrial = running === 0 && !waiting.some(isInTime);
    // The youngest has the most time left.
    const trial = needsTrial ? waiting.findLast(({ endsAt }) => endsAt > now) : undefined;
    const inTime = waiting.filter((each) => {
      const isTaken = each === trial || isInTime(each);
      if (!isTaken) each.reject(overloaded());
      return isTaken;
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
      waiting.push({
        hashes,
        endsAt,
        request: currentRequest(),
        since: performance.now(),
        resolve,
        reject,
      });
      schedule();
    });
}

/** The request whose trace shows the query: a sampled one, if there is one. */
function requestFor<Found>(batch: readonly Waiting<Found>[]): RequestContext | undefined {
  const sampled = batch.find(({ request }) => request?.span?.isSampled === true);
  return (sampled ?? batch[0])?.request;
}

function firstOf<Found>(hashes: readonly Buffer[], found: ReadonlyMap<string, Found>): Found | undefined {
  for (const hash of hashes) {
    const match = found.get(hash.toString('hex'));
    if (match !== undefined) return match;
  }
  return undefined;
}

const overloaded = () => new AppError('unavailable', 'overloaded', 'too much is waiting');
