import { ApiError, ConnectionError, errorOf } from './errors.ts';
import { pause } from './pause.ts';

/** `fetch`, or a replacement of it. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** How requests are sent. */
export interface Patience {
  readonly fetch?: Fetch;
  /** Milliseconds for one attempt with its whole response; 30,000. */
  readonly timeoutMs?: number;
  /** Attempts after the first; 4. */
  readonly retries?: number;
  /** Milliseconds of the longest pause. Where `Retry-After` asks for more, the error is thrown at once; 60,000. */
  readonly maxPauseMs?: number;
}

export interface Call {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether doing it twice is the same as once. If not, only a 429 is repeated, which did nothing. */
  readonly isRepeatable: boolean;
}

/** A response of 2xx. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body; undefined where there is none. */
  readonly data: unknown;
}

const transient: readonly number[] = [429, 502, 503, 504];

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError || (error instanceof ApiError && transient.includes(error.status));

/** Milliseconds before the next attempt: what the platform asks for, else twice as long each time. */
export const backoffMs = (error: unknown, attempt: number): number =>
  Object(error).retryAfterMs ?? Math.min(500 * 2 ** attempt, 30_000);

/** Sends a request, again where that is safe. @throws ApiError, ConnectionError, the reason of the signal */
export async function send(patience: Patience, call: Call): Promise<Received> {
  const { retries = 4, maxPauseMs = 60_000 } = patience;
  for (let attempt = 0; ; attempt++) {
    try {
      return await sendOnce(patience, call);
    } catch (error) {
      const isSafe = isTransient(error) && (call.isRepeatable || Object(error).status === 429);
      const pauseMs = backoffMs(error, attempt);
      if (!isSafe || attempt >= retries || pauseMs > maxPauseMs) throw error;
      // Up to a quarter longer, so that parallel workers do not return at the same moment.
      await pause(pauseMs * (1 + Math.random() / 4), call.signal);
    }
  }
}

async function sendOnce(
  { fetch = globalThis.fetch, timeoutMs = 30_000 }: Patience,
  call: Call,
): Promise<Received> {
  const { url, method, headers, body = null, signal } = call;
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { method, headers, body, signal: either, redirect: 'error' });
    // The body of a refusal is optional, because the status is sufficient.
    text = await (response.ok ? response.text() : response.text().catch(() => ''));
    if (response.ok) return receivedOf(response, text);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError(`${method} ${url.origin}${url.pathname} got no whole response`, { cause });
  }
  throw errorOf({ url, status: response.status, headers: response.headers, text });
}

const receivedOf = ({ status, headers }: Response, text: string): Received => ({
  status,
  headers,
  data: text === '' ? undefined : JSON.parse(text),
});
