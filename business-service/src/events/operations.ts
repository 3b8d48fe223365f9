import { eventBody } from '@platform/service-kit/values/event-body.ts';
import type { FeedChanges } from './changes.ts';
import type { EventType } from './event.ts';
import type { FeedPart } from './page-store.ts';
import { encodeFeedCursor, type FeedPosition } from './query.ts';
import type { EventStore } from './store.ts';

export interface FeedDeps {
  readonly events: EventStore;
  readonly changes: FeedChanges;
}

/** A request for events. */
export interface FeedQuery {
  readonly businessId: number;
  /** The application that reads; undefined for the business itself. */
  readonly applicationId: string | undefined;
  readonly after: FeedPosition | undefined;
  readonly types: readonly EventType[];
  readonly limit: number;
  /** Seconds to wait for an event where there is none; 0 to respond at once. */
  readonly wait: number;
}

export type FeedResult =
  | { readonly kind: 'page'; readonly page: FeedPage }
  /** The position belongs to another business, or is beyond the end of the feed. */
  | { readonly kind: 'foreign_cursor' }
  /** Events after the position are no longer kept. */
  | { readonly kind: 'expired_cursor' }
  /** The business is banned or does not exist. */
  | { readonly kind: 'banned' };

/** Events in order, each as its body. */
export interface FeedPage {
  readonly bodies: readonly string[];
  /** Of the page that follows, now or later. */
  readonly nextCursor: string;
}

/**
 * Milliseconds after which a waiting request reads the feed again without a notification. A notification is lost if its
 * writer ends between the commit and the notification.
 */
const rereadMs = 5_000;

/** A page of events. If it would be empty, waits up to `wait` seconds for an event, or until `signal` aborts. */
export async function readFeed(deps: FeedDeps, query: FeedQuery, signal: AbortSignal): Promise<FeedResult> {
  const { after, businessId } = query;
  if (after !== undefined && after.businessId !== businessId) return { kind: 'foreign_cursor' };
  if (query.wait === 0 || signal.aborted) return resultOf(query, await readPart(deps, query));
  const end = AbortSignal.any([signal, AbortSignal.timeout(query.wait * 1_000)]);
  for (;;) {
    // Watches before the read, so that a change after it ends the wait.
    using watch = deps.changes.watch(businessId);
    const result = resultOf(query, await readPart(deps, query));
    const isEmpty = result.kind === 'page' && result.page.bodies.length === 0;
    if (!isEmpty || end.aborted) return result;
    await watch.next(AbortSignal.any([end, AbortSignal.timeout(rereadMs)]));
  }
}

function readPart({ events }: FeedDeps, query: FeedQuery): Promise<FeedPart | undefined> {
  const { businessId, applicationId, after, types, limit } = query;
  return events.read({ businessId, applicationId, afterSequence: after?.sequence, types, limit });
}

function resultOf({ businessId, after, limit }: FeedQuery, part: FeedPart | undefined): FeedResult {
  if (part === undefined || part.isBanned) return { kind: 'banned' };
  const { isExpired, lastSequence, events, uniqueId } = part;
  if (after !== undefined && after.sequence > lastSequence) return { kind: 'foreign_cursor' };
  if (isExpired) return { kind: 'expired_cursor' };
  const bodies = events.map((event, index) =>
    eventBody({ ...event, business: uniqueId, previous: events[index - 1]?.sequence ?? part.previous }),
  );
  const lastRead = events.at(-1)?.sequence;
  // Fewer than the limit: the types have no other event in this snapshot, up to the end of the feed.
  const sequence = lastRead !== undefined && events.length === limit ? lastRead : lastSequence;
  return { kind: 'page', page: { bodies, nextCursor: encodeFeedCursor({ businessId, sequence }) } };
}
