import { Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { FairQueue, waitSlotLimit } from './fair-queue.ts';

/** Open WebSockets of an upstream, each on its own connection. */
const slots = 1_024;

/** Milliseconds that a handshake waits for a slot, and handshakes that may wait. */
const maxWaitMs = 2_000;

const maxWaiting = 256;

/** Slots of WebSockets at each upstream. They are their own, so that connections that live long take none from requests. */
export class WebSocketSlots {
  readonly #queues = new Map<string, FairQueue>();

  constructor(registry: Registry) {
    const queues = this.#queues;
    new Gauge({
      name: 'gateway_websockets',
      help: 'Open WebSockets to an upstream, each in its own slot',
      labelNames: ['upstream'],
      registers: [registry],
      collect() {
        for (const [upstream, { inUse }] of queues) this.set({ upstream }, inUse);
      },
    });
  }

  /** @param upstream its name */
  at(upstream: string): FairQueue {
    const known = this.#queues.get(upstream);
    if (known !== undefined) return known;
    const queue = new FairQueue({ slots, limitFor: waitSlotLimit, maxWaiting, maxWaitMs });
    this.#queues.set(upstream, queue);
    return queue;
  }
}
