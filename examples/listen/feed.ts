// Reads GET /v2/events: every event once, in order, with waiting. See the guide "Reconcile with the feed".
import { z } from 'zod';

/** Fields of an event that are read here. Others are passed on unchanged. */
const event = z.looseObject({ id: z.string(), type: z.string(), sequence: z.number() });
const page = z.object({ data: z.array(event), next_cursor: z.string() });
const refusal = z.object({ error: z.string() });

export type FeedEvent = z.output<typeof event>;

export interface FeedOptions {
  /** Origin of the platform. */
  readonly origin: string;
  readonly key: string;
  /** Types to read; empty for all that the key covers. */
  readonly types: readonly string[];
  /** Receives one line for each temporary problem. */
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The platform refuses the key or the types, so that a retry does not help. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
}

const pageSize = 100;
/** Seconds that a request waits for the next event, and the time limit of the request itself. */
const waitSeconds = 30;
const requestLimitMs = 40_000;
const maxPauseMs = 30_000;

/**
 * Yields new events without end. Existing events are skipped.
 * @throws FeedError when the platform refuses the key or the types; the signal's reason
 */
export async function* readNewEvents(options: FeedOptions): AsyncGenerator<FeedEvent> {
  let cursor = await endOfFeed(options);
  for (;;) {
    const next = await readPage(options, cursor, waitSeconds);
    if (next === 'gone') {
      options.tell('Events of more than 30 days ago were not read. Going on with new ones.');
      cursor = await endOfFeed(options);
      continue;
    }
    yield* next.data;
    cursor = next.next_cursor;
  }
}

async function endOfFeed(options: FeedOptions): Promise<string> {
  let cursor: string | undefined;
  for (;;) {
    const next = await readPage(options, cursor, 0);
    if (next === 'gone') cursor = undefined;
    else {
      cursor = next.next_cursor;
      if (next.data.length === 0) return cursor;
    }
  }
}

/** Reads one page. Retries while the platform is unavailable or the rate limit is reached. */
async function readPage(options: FeedOptions, after: string | undefined, wait: number) {
  for (let attempt = 0; ; attempt++) {
    const response = await requestPage(options, after, wait);
    if (response !== undefined) {
      if (response.status === 200) return page.parse(JSON.parse(response.text));
      if (response.status === 410) return 'gone' as const;
      checkTransient(response);
    }
    const { pauseMs, why } = troubleOf(response, attempt);
    options.tell(`${options.origin} ${why}. Next try in ${Math.ceil(pauseMs / 1_000)} s.`);
    await pause(pauseMs, options.signal);
  }
}

interface FeedResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The response; undefined if it is missing or incomplete. @throws the signal's reason */
async function requestPage(
  { origin, key, types, signal }: FeedOptions,
  after: string | undefined,
  wait: number,
): Promise<FeedResponse | undefined> {
  const query = new URLSearchParams({ limit: String(pageSize), wait: String(wait) });
  if (after !== undefined) query.set('after', after);
  if (types.length > 0) query.set('types', types.join(','));
  try {
    const response = await fetch(`${origin}/v2/events?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestLimitMs)]),
    });
    const { url, status, headers } = response;
    // The body of a refusal is optional, because the status is sufficient.
    const text = response.ok ? response.text() : response.text().catch(() => '');
    return { url, status, headers, text: await text };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** @throws FeedError for a status that does not change by itself */
function checkTransient({ status, url, text }: FeedResponse): void {
  if (status === 429 || status >= 500) return;
  throw new FeedError(`${url.split('?')[0]} responded with ${status}: ${messageOf(text)}`);
}

function messageOf(text: string): string {
  try {
    return refusal.parse(JSON.parse(text)).error;
  } catch {
    return 'no message';
  }
}

function troubleOf(
  response: FeedResponse | undefined,
  attempt: number,
): { readonly pauseMs: number; readonly why: string } {
  const backoffMs = Math.min(1_000 * 2 ** attempt, maxPauseMs);
  if (response === undefined) return { pauseMs: backoffMs, why: 'cannot be reached' };
  const retryAfterMs = Number(response.headers.get('retry-after')) * 1_000 || 0;
  return { pauseMs: Math.max(backoffMs, retryAfterMs), why: `responded with ${response.status}` };
}

/** @throws the signal's reason */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
