import type { HttpResponse } from './http-request.ts';

/** An event in the feed, and in deliveries. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly business: string;
  readonly sequence: number;
  readonly previous: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface FeedPage {
  readonly data: readonly FeedEvent[];
  readonly next_cursor: string;
}

/** A page of GET /v2/events. @throws for any other response */
export function feedPage(response: HttpResponse): FeedPage {
  if (response.status !== 200) throw new Error(`no page of events, but ${response.status}: ${response.text}`);
  return response.json() as FeedPage;
}

/** Every event behind a cursor, page by page, until a page is empty. */
export async function readFeed(
  get: (query: string) => Promise<HttpResponse>,
  query: string,
  after?: string,
): Promise<{ events: FeedEvent[]; cursor: string }> {
  const events: FeedEvent[] = [];
  let cursor = after;
  for (;;) {
    const page = feedPage(await get(cursor === undefined ? query : `${query}&after=${cursor}`));
    cursor = page.next_cursor;
    if (page.data.length === 0) return { events, cursor };
    events.push(...page.data);
  }
}
