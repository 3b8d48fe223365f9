// The receiver of webhooks: verifies each delivery with the package `standardwebhooks`, and takes every event once.
import { Webhook } from 'standardwebhooks';

/** An event that was delivered, for the page. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly business: string;
  readonly sequence: number;
  /** The resource, as JSON text. */
  readonly data: string;
}

export type WebhookInbox = ReturnType<typeof createWebhookInbox>;

/** Events that the page shows. */
const maxEvents = 50;
/** Identifiers that detect repeated deliveries. A real application uses a table with a unique index. */
const maxIds = 10_000;

/** Keeps delivered events. @param secret of the endpoint, `whsec_…` */
export function createWebhookInbox(secret: string) {
  const webhook = new Webhook(secret);
  const ids = new Set<string>();
  const events: ReceivedEvent[] = [];
  const watchers = new Set<(event: ReceivedEvent) => void>();
  return {
    /** Accepts a delivery from its unchanged bytes. @throws when no signature is valid */
    receive: (body: Buffer, headers: Record<string, string>): void => {
      const event = readEvent(webhook.verify(body, headers));
      if (ids.has(event.id)) return;
      const [oldest] = ids;
      if (ids.size >= maxIds && oldest !== undefined) ids.delete(oldest);
      ids.add(event.id);
      events.push(event);
      if (events.length > maxEvents) events.shift();
      for (const watcher of watchers) watcher(event);
    },
    /** Oldest first. */
    events: (): readonly ReceivedEvent[] => events,
    /** Calls `watcher` for each new event. Returns a function that stops this. */
    watch: (watcher: (event: ReceivedEvent) => void): (() => void) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** Fields of a verified body, which the platform has written. */
function readEvent(body: unknown): ReceivedEvent {
  const { id, type, business, sequence, data } = Object(body);
  return {
    id: String(id),
    type: String(type),
    business: String(business),
    sequence: Number(sequence),
    data: JSON.stringify(data, null, 2),
  };
}
