import type { Client } from './client.ts';
import { GoneError } from './errors.ts';
import type { BusinessEvent, EventType } from './operations.ts';
import { pause } from './pause.ts';
import { backoffMs, isTransient } from './send.ts';

/** Where the application keeps its cursor, beside what it makes of the events of one business. */
export interface EventStore {
  /** The stored cursor; undefined before the first event. */
  load(): Promise<string | undefined>;
  /**
   * In one transaction: takes the events, and replaces the cursor `from` by `to`. Does neither where the stored cursor is no
   * longer `from`, because another process has taken these events.
   */
  apply(events: readonly BusinessEvent[], to: string, from: string | undefined): Promise<unknown>;
  /**
   * After an outage that was longer than events are kept, some are missing: reads the records themselves, and stores them with this cursor. Without it,
   * `follow` ends with a GoneError.
   */
  rebuild?(cursor: string): Promise<unknown>;
}

export interface FollowOptions {
  /** Every type that the credential may read where absent. */
  readonly types?: EventType[];
  /** Begins with what happens from now on where there is no cursor yet; else with the first event that is kept. */
  readonly isFromNow?: boolean;
  /** Whether webhooks call `wake`. Then no request waits for the next event, and the feed is read when one came. */
  readonly isPushed?: boolean;
  /** Milliseconds until the feed is read although nothing woke it, since a delivery may be lost; 20,000. */
  readonly idleMs?: number;
  /** Hears of each temporary trouble, and how long the pause is. */
  readonly onTrouble?: (error: Error, pauseMs: number) => void;
  readonly signal?: AbortSignal;
}

/** Seconds that a request waits for the next event. */
const waitSeconds = 30;

/**
 * Takes every event of a business once and in order, from the feed. A webhook only says that there is something to read, so one
 * that is lost, doubled or late changes nothing.
 */
export class Follower {
  readonly #client: Client;
  readonly #store: EventStore;
  readonly #options: FollowOptions;
  #isWoken = false;
  #wake = () => {};

  constructor(client: Client, store: EventStore, options: FollowOptions = {}) {
    this.#client = client;
    this.#store = store;
    this.#options = options;
  }

  /** Reads the feed soon. Call it for each delivery whose signature is right, also before you respond. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** Follows until the signal aborts. @throws what `apply` throws; ApiError for what waiting does not change; the signal's reason */
  async follow(): Promise<never> {
    const { signal, onTrouble } = this.#options;
    for (let failures = 0; ; ) {
      try {
        await this.#step();
        failures = 0;
      } catch (error) {
        signal?.throwIfAborted();
        if (!isTransient(error)) throw error;
        // A platform that is down must not be asked without a pause, whatever its Retry-After says.
        const pauseMs = Math.max(1_000, backoffMs(error, failures++));
        onTrouble?.(error, pauseMs);
        await pause(pauseMs, signal);
      }
    }
  }

  /** Takes one page, then waits if it was the last. */
  async #step(): Promise<void> {
    const { types, isFromNow = false, isPushed = false, signal } = this.#options;
    signal?.throwIfAborted();
    this.#isWoken = false;
    const from = await this.#store.load();
    if (isFromNow && from === undefined) {
      await this.#store.apply([], await endOfFeed(this.#client, signal), from);
      return;
    }
    const query = {
      limit: 100,
      ...(from !== undefined && { after: from }),
      ...(types !== undefined && { types }),
      ...(!isPushed && { wait: waitSeconds }),
    };
    try {
      const { data: page } = await this.#client.request('GET /v2/events', { query, signal });
      if (page.next_cursor !== from) await this.#store.apply(page.data, page.next_cursor, from);
      if (isPushed && page.data.length === 0) await this.#untilWoken();
    } catch (error) {
      if (!(error instanceof GoneError && this.#store.rebuild)) throw error;
      // The cursor before the records: what happens meanwhile comes again, and is not missed.
      await this.#store.rebuild(await endOfFeed(this.#client, signal));
    }
  }

  async #untilWoken(): Promise<void> {
    const { idleMs = 20_000, signal } = this.#options;
    if (this.#isWoken) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const either = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]);
    await pause(idleMs, either).catch(() => signal?.throwIfAborted());
  }
}

/** The cursor behind the last event, to begin with what happens from now on. @throws ApiError, ConnectionError */
export async function endOfFeed(client: Client, signal?: AbortSignal): Promise<string> {
  let cursor = '';
  for await (const page of client.pages('GET /v2/events', { signal })) cursor = page.next_cursor;
  return cursor;
}
