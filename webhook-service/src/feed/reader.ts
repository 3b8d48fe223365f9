import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { DeliveryPlan, FeedEvent, LastByType, Subscription } from './plan.ts';
import { anyType, planDeliveries } from './plan.ts';
import type { FeedStore, Progress } from './store.ts';

/** Where the feed of a business ends. */
export interface Head {
  readonly businessId: number;
  readonly lastSequence: number;
}

/** The same, as it changes. */
interface ChangedHead extends Head {
  /** Whether a person was erased from earlier events. */
  readonly hasErasedEvents: boolean;
}

/** The feed of business-service. */
export interface Feed {
  /** A page of businesses that changed since, oldest change first. @throws AppError unavailable */
  listHeads(
    sinceMs: number,
    pageToken: string,
  ): Promise<{
    readonly heads: readonly Head[];
    readonly nextPageToken: string;
    /** The clock of the feed's database, in milliseconds since 1970. */
    readonly nowMs: number;
  }>;
  /** Events after a sequence that are kept, in order; none when there are no more. @throws AppError unavailable */
  readEvents(
    businessId: number,
    afterSequence: number,
  ): Promise<{
    readonly events: readonly FeedEvent[];
    /** Where the feed ends. */
    readonly lastSequence: number;
  }>;
  /** Heads as they change, until the signal; ends or throws when the connection is lost. */
  watchHeads(signal: AbortSignal): AsyncIterable<ChangedHead>;
}

interface FeedReaderOptions {
  readonly feed: Feed;
  readonly store: FeedStore;
  /** Applications that may receive events of a business, or are named. @throws AppError unavailable */
  readonly listSubscriptions: (
    businessId: number,
    named: readonly string[],
  ) => Promise<readonly Subscription[]>;
  /** Called after new deliveries of these endpoints were stored. */
  readonly wake: (endpointIds: readonly string[]) => Promise<void>;
  /** Called when a person was erased from earlier events. */
  readonly onErasure: () => void;
  readonly logger: Logger;
  /** Milliseconds between lists of heads, and so the delay of a change that the stream has missed. */
  readonly listEveryMs: number;
}

/** Feeds that are read concurrently. Each holds a batch of up to 1 MB in memory, and a connection while it is stored. */
const concurrency = 8;

/** Milliseconds until a failed batch is retried, doubled each time, and until a lost stream is opened again. */
const retryMs = 1_000;

const maxRetryMs = 30_000;

/** Maximum deliveries per batch, unless a single event has more. A statement stores that many well within its time limit. */
const maxDeliveries = 5_000;

/** Milliseconds by which lists overlap, because a change may be committed some seconds after its recorded time. */
const overlapMs = 60_000;

/** Reads the feeds of all businesses, notified by a stream of heads and by a list of heads every `listEveryMs`. */
export class FeedReader {
  readonly #options: FeedReaderOptions;
  readonly #stopped = new AbortController();
  readonly #loops: readonly Loop[];
  /** Businesses with unread events, in the order in which they became known. */
  readonly #behind = new Set<number>();
  readonly #reading = new Map<number, Promise<void>>();
  /** Pauses of businesses whose last batch failed, in milliseconds. */
  readonly #pauses = new Map<number, number>();
  /** Businesses that are currently paused. Notifications do not start a read of them, so that failures are not repeated. */
  readonly #paused = new Set<number>();
  #sinceMs = 0;

  constructor(options: FeedReaderOptions) {
    const { listEveryMs, logger } = options;
    this.#options = options;
    this.#loops = [
      startLoop({ name: 'list heads', everyMs: listEveryMs, round: () => this.#list(), logger }),
      startLoop({ name: 'watch heads', everyMs: retryMs, round: () => this.#watch(), logger }),
    ];
  }

  /** Businesses that are known to have unread events. */
  get behind(): number {
    return new Set([...this.#behind, ...this.#reading.keys(), ...this.#paused]).size;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await Promise.all(this.#reading.values());
  }

  async #list(): Promise<void> {
    const { feed, store } = this.#options;
    const add = (businessId: number) => this.#add(businessId);
    this.#sinceMs = await listChanged(feed, store, this.#sinceMs, add, this.#stopped.signal);
  }

  async #watch(): Promise<void> {
    const { feed, onErasure } = this.#options;
    for await (const { businessId, hasErasedEvents } of feed.watchHeads(this.#stopped.signal)) {
      if (hasErasedEvents) onErasure();
      this.#add(businessId);
    }
  }

  #add(businessId: number): void {
    if (!this.#paused.has(businessId)) this.#behind.add(businessId);
    this.#next();
  }

  #next(): void {
    for (const businessId of this.#behind) {
      if (this.#stopped.signal.aborted || this.#reading.size >= concurrency) return;
      // Keeps a business that is being read in the set, because its last batch may be older than the change.
      if (this.#reading.has(businessId)) continue;
      this.#behind.delete(businessId);
      this.#reading.set(businessId, this.#read(businessId));
    }
  }

  async #read(businessId: number): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await readFeed(this.#options, businessId, signal);
      this.#pauses.delete(businessId);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.logger.warn({ err: error, businessId }, 'feed not read');
      this.#pause(businessId);
    } finally {
      this.#reading.delete(businessId);
      this.#next();
    }
  }

  #pause(businessId: number): void {
    const pauseMs = Math.min(2 * (this.#pauses.get(businessId) ?? retryMs / 2), maxRetryMs);
    this.#pauses.set(businessId, pauseMs);
    this.#paused.add(businessId);
    this.#behind.delete(businessId);
    setTimeout(() => {
      this.#paused.delete(businessId);
      this.#add(businessId);
    }, pauseMs).unref();
  }
}

/**
 * Passes on the businesses with unread events. Resolves to the time from which to list next, by the clock of the feed's
 * database. If it were the time of the latest change, one change with a time in the future would hide all others.
 */
async function listChanged(
  feed: Feed,
  store: FeedStore,
  sinceMs: number,
  add: (businessId: number) => void,
  signal: AbortSignal,
): Promise<number> {
  let nextMs: number | undefined;
  for (let pageToken = ''; !signal.aborted; ) {
    const { heads, nextPageToken, nowMs } = await feed.listHeads(sinceMs, pageToken);
    nextMs ??= Math.max(0, nowMs - overlapMs);
    const read = await store.sequences(heads.map(({ businessId }) => businessId));
    for (const { businessId, lastSequence } of heads) {
      if ((read.get(businessId) ?? 0) < lastSequence) add(businessId);
    }
    if (nextPageToken === '') break;
    pageToken = nextPageToken;
  }
  return nextMs ?? sinceMs;
}

/** Reads the feed of one business to its end, batch by batch. */
async function readFeed(options: FeedReaderOptions, businessId: number, signal: AbortSignal): Promise<void> {
  const { feed, store, wake } = options;
  let from = await store.progress(businessId);
  while (!signal.aborted) {
    const { events, lastSequence } = await feed.readEvents(businessId, from.sequence);
    const [first] = events;
    if (first === undefined) return;
    const lastByType = lastBefore(options, businessId, first, from);
    const { planned, plan } = await planBatch(options, businessId, events, lastByType);
    const last = planned.at(-1);
    if (last === undefined) throw new Error('a batch without an event');
    const { uniqueId, sequence: to } = last;
    if (!(await store.advance({ businessId, uniqueId, from, to, plan }))) {
      from = await store.progress(businessId);
      continue;
    }
    const due = plan.deliveries.filter(({ enabled }) => enabled);
    // Wakes after the commit, so that a turn of the endpoint that is about to end sees the deliveries.
    if (due.length > 0) await wake([...new Set(due.map(({ endpointId }) => endpointId))]);
    if (to >= lastSequence) return;
    from = { ...from, sequence: to, lastByType: plan.lastByType };
  }
}

/**
 * The last events before a batch. After an outage that lasted longer than events are kept, some were never read: `previous` of the
 * next deliveries then names the last of them, so that receivers see that they miss events.
 */
function lastBefore(
  { logger }: Pick<FeedReaderOptions, 'logger'>,
  businessId: number,
  { sequence }: FeedEvent,
  from: Progress,
): LastByType {
  const missed = sequence - 1;
  if (missed <= from.sequence) return from.lastByType;
  const text = 'the feed lacks events: they are no longer kept, or a restore skipped their numbers';
  logger.warn({ businessId, after: from.sequence, upTo: missed }, text);
  return { ...from.lastByType, [anyType]: missed };
}

/**
 * Plans the deliveries of the first events; the more endpoints, the fewer events. Endpoints are read after the events, so
 * that no endpoint that is older than an event is missing.
 */
async function planBatch(
  { store, listSubscriptions }: FeedReaderOptions,
  businessId: number,
  events: readonly FeedEvent[],
  lastByType: LastByType,
): Promise<{ readonly planned: readonly FeedEvent[]; readonly plan: DeliveryPlan }> {
  // Without any endpoint, nothing is due.
  const named = new Set(events.map(({ applicationId }) => applicationId).filter((id) => id !== ''));
  const subscriptions = (await store.hasEndpoints()) ? await listSubscriptions(businessId, [...named]) : [];
  const applicationIds = subscriptions.map(({ applicationId }) => applicationId);
  const endpoints = await store.endpoints(businessId, applicationIds);
  const planned = events.slice(0, Math.max(1, Math.floor(maxDeliveries / Math.max(1, endpoints.length))));
  return {
    planned,
    plan: planDeliveries({ businessId, events: planned, subscriptions, endpoints, lastByType }),
  };
}
