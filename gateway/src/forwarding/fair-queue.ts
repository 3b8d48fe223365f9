import { addressBlock } from '@platform/service-kit/addresses.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { Exchange } from '../edge/exchange.ts';
import type { RouteKind } from '../routes.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';
import type { Upstreams } from './proxy.ts';

interface FairQueueOptions {
  /** Requests that may be under way at a time. */
  readonly slots: number;
  /** Of so many places, and of so many that wait, how many may be taken under a key. */
  readonly limitFor: (key: string, total: number) => number;
  /** Requests that may wait. */
  readonly maxWaiting: number;
  /** Milliseconds that a request may wait. */
  readonly maxWaitMs: number;
}

/** Gives the place back; more than once is as once. */
export type Release = () => void;

interface Waiting {
  readonly keys: readonly string[];
  readonly resolve: (release: Release | undefined) => void;
  readonly timer: NodeJS.Timeout;
  isSettled: boolean;
}

/**
 * Places at an upstream. Under each of its keys a request finds a bounded part of them; who finds none waits, again with
 * a bound under each key, and for a bounded time. The one that has waited longest and may have a place gets it.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #slots: KeyedSemaphore;
  readonly #queue: KeyedSemaphore;
  #waiting: Waiting[] = [];
  /** Requests that found no place at once, by what became of them. */
  readonly waitOutcomes = { admitted: 0, refused: 0 };

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

  /** A place, at once or after a while; undefined when there is none in time. */
  acquire(keys: readonly string[]): Release | Promise<Release | undefined> {
    if (this.#slots.tryAcquire(keys)) return this.#release(keys);
    if (!this.#queue.tryAcquire(keys)) {
      this.waitOutcomes.refused++;
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(entry, undefined), this.#options.maxWaitMs);
      const entry: Waiting = { keys, resolve, timer, isSettled: false };
      this.#waiting.push(entry);
    });
  }

  #release(keys: readonly string[]): Release {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#slots.release(keys);
      if (this.#waiting.length > 0) this.#admitNext();
    };
  }

  #admitNext(): void {
    this.#waiting = this.#waiting.filter(({ isSettled }) => !isSettled);
    for (const entry of this.#waiting) {
      if (!this.#slots.tryAcquire(entry.keys)) continue;
      this.#settle(entry, this.#release(entry.keys));
      return;
    }
  }

  #settle(entry: Waiting, release: Release | undefined): void {
    if (entry.isSettled) return;
    entry.isSettled = true;
    clearTimeout(entry.timer);
    this.#queue.release(entry.keys);
    this.waitOutcomes[release === undefined ? 'refused' : 'admitted']++;
    entry.resolve(release);
  }
}

/** Keys under which a request takes its place at an upstream: its kind of route, its address, its credential. */
export function slotKeys({ principal, clientIp }: Exchange, kind: RouteKind): readonly string[] {
  const keys = [`kind:${kind}`, `address:${addressBlock(clientIp)}`];
  if (principal !== undefined) keys.push(`credential:${principal.credentialId}`);
  return keys;
}

/** The part of `places` that may be taken under a key. No address has all of a kind, and no kind has all. */
export function slotLimit(key: string, slots: number): number {
  if (key.startsWith('credential:')) return Math.ceil(slots / 8);
  if (key.startsWith('address:')) return Math.ceil(slots / 4);
  return key === 'kind:api' ? slots : Math.ceil((slots * 3) / 4);
}

/** How the places at each upstream are taken and waited for, read when the metrics are. */
export function registerUpstreamMetrics(registry: Registry, upstreams: Upstreams): void {
  const labelNames = ['upstream'];
  const entries = Object.entries(upstreams);
  const shared = { labelNames, registers: [registry] };
  new Gauge({
    ...shared,
    name: 'gateway_upstream_requests',
    help: 'Requests under way at an upstream, each in a place of its own',
    collect() {
      for (const [upstream, { queue }] of entries) this.set({ upstream }, queue.inUse);
    },
  });
  new Gauge({
    ...shared,
    name: 'gateway_upstream_waiting',
    help: 'Requests that wait for a place at an upstream',
    collect() {
      for (const [upstream, { queue }] of entries) this.set({ upstream }, queue.waiting);
    },
  });
  new Gauge({
    ...shared,
    name: 'gateway_upstream_connections',
    help: 'Open connections to an upstream',
    collect() {
      for (const [upstream, { agent }] of entries) this.set({ upstream }, agent.connections);
    },
  });
  new Counter({
    ...shared,
    name: 'gateway_upstream_waits_total',
    help: 'Requests that found no place at an upstream at once, by what became of them',
    labelNames: ['upstream', 'outcome'],
    collect() {
      this.reset();
      for (const [upstream, { queue }] of entries) {
        for (const [outcome, count] of Object.entries(queue.waitOutcomes))
          this.inc({ upstream, outcome }, count);
      }
    },
  });
}
