// The receiver of webhooks: verifies each delivery, and takes every event once.
import { type BusinessEvent, verifyWebhook } from '@business-api/client';

/** Events that are kept for the page. */
const maxEvents = 50;
/** Identifiers that detect repeated deliveries. A real application uses a table with a unique index. */
const maxIds = 10_000;

type Watcher = (event: BusinessEvent) => void;

/** Keeps delivered events. */
export class WebhookInbox {
  readonly #secret: string;
  readonly #ids = new Set<string>();
  readonly #events: BusinessEvent[] = [];
  readonly #watchers = new Set<Watcher>();

  /** @param secret of the endpoint, `whsec_…` */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Accepts a delivery from its unchanged bytes. @throws WebhookError when no signature is valid */
  async receive(body: Buffer, headers: Parameters<typeof verifyWebhook>[1]): Promise<void> {
    const event = await verifyWebhook(body, headers, this.#secret);
    if (this.#ids.has(event.id)) return;
    const [oldest] = this.#ids;
    if (this.#ids.size >= maxIds && oldest !== undefined) this.#ids.delete(oldest);
    this.#ids.add(event.id);
    this.#events.push(event);
    if (this.#events.length > maxEvents) this.#events.shift();
    for (const watcher of this.#watchers) watcher(event);
  }

  /** The first event that matches, of those that came and those to come; undefined when none has within `limitMs`. */
  async next(
    matches: (event: BusinessEvent) => boolean,
    limitMs: number,
  ): Promise<BusinessEvent | undefined> {
    const { promise, resolve } = Promise.withResolvers<BusinessEvent | undefined>();
    const timer = setTimeout(resolve, limitMs, undefined);
    const watcher: Watcher = (event) => {
      if (matches(event)) resolve(event);
    };
    this.#watchers.add(watcher);
    for (const event of this.#events) watcher(event);
    const found = await promise;
    clearTimeout(timer);
    this.#watchers.delete(watcher);
    return found;
  }
}
