import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Exchange } from '../edge/exchange.ts';
import { KeyedSemaphore } from '../edge/keyed-semaphore.ts';
import type { Principal } from '../principal.ts';
import type { RouteKind } from '../routes.ts';

interface FairQueueOptions {
  /** Maximum number of requests in flight. */
  readonly slots: number;
  /** Limit per key out of `total` slots or waiting requests. */
  readonly limitFor: (key: string, total: number) => number;
  /** Maximum number of waiting requests. */
  readonly maxWaiting: number;
  /** Milliseconds that a request may wait. */
  readonly maxWaitMs: number;
}

/** Releases the slot; idempotent. */
export type Release = () => void;

interface Waiting {
  readonly keys: readonly string[];
  readonly resolve: (release: Release | undefined) => void;
  readonly timer: NodeJS.Timeout;
  isSettled: boolean;
}

/**
 * Slots at an upstream, limited in total and per key. Without a free slot a request waits, for a bounded time and
 * with the same kind of limits. A free slot goes to the longest waiting request that may have it.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #slots: KeyedSemaphore;
  readonly #queue: KeyedSemaphore;
  #waiting: Waiting[] = [];
  /** Requests that had to wait, by outcome; `refused_share` of a client that had its whole share of the slots. */
  readonly waitOutcomes = { admitted: 0, refused: 0, refused_share: 0 };

  constructor(options: FairQueueOptions) {
    const { slots, maxWaiting, limitFor } = options;
    this.#options = options;
    this.#slots = new KeyedSemaphore({ total: slots, limitFor: (key) => limitFor(key, slots) });
    this.#queue = new KeyedSemaphore({ total: maxWaiting, limitFor: (key) => limitFor(key, maxWaiting) });
  }

  get inUse(): number {
    return this.#slots.inUse;
  }

  get waiting(): number {
    return this.#queue.inUse;
  }

  /** A slot, at once or after a wait; undefined when none becomes free in time. */
  acquire(keys: readonly string[]): Release | Promise<Release | undefined> {
    if (this.#slots.tryAcquire(keys)) return this.#release(keys);
    if (!this.#queue.tryAcquire(keys)) {
      this.#countRefused(keys);
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(entry, undefined), this.#options.maxWaitMs);
      const entry: Waiting = { keys, resolve, timer, isSettled: false };
      this.#waiting.push(entry);
    });
  }

  #release(keys: readonly string[]): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#slots.release(keys);
      if (this.#waiting.length > 0) this.#admitNext();
    };
  }

  /** Admits waiting requests. Several may follow one release, because they wait for different keys. */
  #admitNext(): void {
    this.#waiting = this.#waiting.filter(({ isSettled }) => !isSettled);
    for (const entry of this.#waiting) {
      if (!this.#slots.tryAcquire(entry.keys)) continue;
      this.#settle(entry, this.#release(entry.keys));
    }
  }

  #settle(entry: Waiting, release: Release | undefined): void {
    if (entry.isSettled) return;
    entry.isSettled = true;
    clearTimeout(entry.timer);
    this.#queue.release(entry.keys);
    if (release === undefined) this.#countRefused(entry.keys);
    else this.waitOutcomes.admitted++;
    entry.resolve(release);
  }

  #countRefused(keys: readonly string[]): void {
    const hasShare = keys.some((key) => isOfClient(key) && this.#slots.isAtLimit(key));
    this.waitOutcomes[hasShare ? 'refused_share' : 'refused']++;
  }
}

const kindKeys: Readonly<Record<RouteKind, string>> = {
  api: 'kind:api',
  oauth: 'kind:oauth',
  page: 'kind:page',
};

/** Whether a key belongs to one client. The slots of a route kind are shared by all clients. */
const isOfClient = (key: string) => !key.startsWith('kind:');

const principalKeys = Symbol('keys of a principal');

/** Requests of a credential share its principal while its authorization is cached. */
interface KeyedPrincipal extends Principal {
  [principalKeys]?: readonly [credential: string, business: string];
}

/** Keys of a request: its kind of route, network, credential and business. */
export function slotKeys({ principal, clientIp }: Exchange, kind: RouteKind): readonly string[] {
  const keys = [kindKeys[kind], `address:${addressBlock(clientIp)}`];
  if (principal !== undefined) keys.push(...keysOf(principal));
  return keys;
}

function keysOf(principal: KeyedPrincipal): readonly [credential: string, business: string] {
  principal[principalKeys] ??= [`credential:${principal.credentialId}`, `business:${principal.businessId}`];
  return principal[principalKeys];
}

/** Limit per key. No network or business can use all slots of a kind, and only the API can use all slots. */
export function slotLimit(key: string, slots: number): number {
  if (key.startsWith('credential:')) return Math.ceil(slots / 8);
  if (key.startsWith('address:') || key.startsWith('business:')) return Math.ceil(slots / 4);
  return key === 'kind:api' ? slots : Math.ceil((slots * 3) / 4);
}

/** Limit per key of requests that may wait: each holds its slot for up to 30 seconds. */
export function waitSlotLimit(key: string, slots: number): number {
  if (key.startsWith('credential:')) return Math.ceil(slots / 32);
  return key.startsWith('kind:') ? slots : Math.ceil(slots / 8);
}
