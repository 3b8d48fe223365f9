import { addressBlock } from '@platform/service-kit/addresses.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { Exchange } from '../edge/exchange.ts';
import type { RouteKind } from '../routes.ts';
import type { Upstreams } from './proxy.ts';
import { Shares } from './shares.ts';

interface FairQueueOptions {
  /** Requests that may be under way at a time. */
  readonly places: number;
  /** Of so many places, and of so many that wait, how many may be taken under a key. */
  readonly boundOf: (key: string, total: number) => number;
  /** Requests that may wait. */
  readonly maxWaiting: number;
  /** Milliseconds that a request may wait. */
  readonly maxWaitMs: number;
}

/** Gives the place back; more than once is as once. */
export type Leave = () => void;

interface Waiting {
  readonly keys: readonly string[];
  readonly resolve: (leave: Leave | undefined) => void;
  readonly timer: NodeJS.Timeout;
  isOver: boolean;
}

/**
 * Places at an upstream. Under each of its keys a request finds a bounded part of them; who finds none waits, again with
 * a bound under each key, and for a bounded time. The one that has waited longest and may have a place gets it.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #places: Shares;
  readonly #queue: Shares;
  #waiting: Waiting[] = [];
  /** Requests that found no place at once, by what became of them. */
  readonly waits = { admitted: 0, refused: 0 };

  constructor(options: FairQueueOptions) {
    const { places, maxWaiting, boundOf } = options;
    this.#options = options;
    this.#places = new Shares({ total: places, boundOf: (key) => boundOf(key, places) });
    this.#queue = new Shares({ total: maxWaiting, boundOf: (key) => boundOf(key, maxWaiting) });
  }

  get taken(): number {
    return this.#places.taken;
  }

  get waiting(): number {
    return this.#queue.taken;
  }

  /** A place, at once or after a while; undefined when there is none in time. */
  enter(keys: readonly string[]): Leave | Promise<Leave | undefined> {
    if (this.#places.tryTake(keys)) return this.#leave(keys);
    if (!this.#queue.tryTake(keys)) {
      this.waits.refused++;
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(entry, undefined), this.#options.maxWaitMs);
      const entry: Waiting = { keys, resolve, timer, isOver: false };
      this.#waiting.push(entry);
    });
  }

  #leave(keys: readonly string[]): Leave {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#places.giveBack(keys);
      if (this.#waiting.length > 0) this.#admitNext();
    };
  }

  #admitNext(): void {
    this.#waiting = this.#waiting.filter(({ isOver }) => !isOver);
    for (const entry of this.#waiting) {
      if (!this.#places.tryTake(entry.keys)) continue;
      this.#end(entry, this.#leave(entry.keys));
      return;
    }
  }

  #end(entry: Waiting, leave: Leave | undefined): void {
    if (entry.isOver) return;
    entry.isOver = true;
    clearTimeout(entry.timer);
    this.#queue.giveBack(entry.keys);
    this.waits[leave === undefined ? 'refused' : 'admitted']++;
    entry.resolve(leave);
  }
}

/** Keys under which a request takes its place at an upstream: its kind of route, its address, its credential. */
export function placeKeys({ principal, clientIp }: Exchange, kind: RouteKind): readonly string[] {
  const keys = [`kind:${kind}`, `address:${addressBlock(clientIp)}`];
  if (principal !== undefined) keys.push(`credential:${principal.credentialId}`);
  return keys;
}

/** The part of `places` that may be taken under a key. No address has all of a kind, and no kind has all. */
export function placeBound(key: string, places: number): number {
  if (key.startsWith('credential:')) return Math.ceil(places / 8);
  if (key.startsWith('address:')) return Math.ceil(places / 4);
  return key === 'kind:api' ? places : Math.ceil((places * 3) / 4);
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
      for (const [upstream, { queue }] of entries) this.set({ upstream }, queue.taken);
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
        for (const [outcome, count] of Object.entries(queue.waits)) this.inc({ upstream, outcome }, count);
      }
    },
  });
}
