// The receiver of webhooks: verifies each delivery, and takes every event once.
import { type BusinessEvent, verifyWebhook } from '@business-api/client';

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
  const ids = new Set<string>();
  const events: ReceivedEvent[] = [];
  const watchers = new Set<(event: ReceivedEvent) => void>();
  return {
    /** Accepts a delivery from its unchanged bytes. @throws WebhookError when no signature is valid */
    receive: async (body: Buffer, headers: Parameters<typeof verifyWebhook>[1]): Promise<void> => {
      const event = readEvent(await verifyWebhook(body, headers, secret));
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

const readEvent = ({ id, type, business, sequence, data }: BusinessEvent): ReceivedEvent => ({
  id,
  type,
  business,
  sequence,
  data: JSON.stringify(data, null, 2),
});
