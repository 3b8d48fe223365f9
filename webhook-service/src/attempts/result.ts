import type { LookupFailure } from '../addresses/lookup.ts';
import { parseHttpDate } from '../values.ts';

/** How an attempt ended. */
export type Outcome =
  /** 2xx. */
  | 'delivered'
  /** 410: the receiver wants no more. */
  | 'gone'
  /** Any other status; redirects are not followed. */
  | 'refused'
  /** The host name resolves to an address that may not be dialed, or the URL itself is not allowed. */
  | LookupFailure
  | 'connection_failed'
  /** The certificate is not trusted, has expired or has another name; or the server speaks no TLS. */
  | 'tls_failed'
  /** Not complete within the time. */
  | 'timed_out'
  /** No HTTP, or one that ended before it was complete. */
  | 'invalid_response'
  /** Ended by its signal. Does not count as an attempt of the schedule. */
  | 'cancelled';

export interface AttemptResult {
  readonly outcome: Outcome;
  /** HTTP status; undefined without one. */
  readonly status: number | undefined;
  /** Milliseconds from the start of the lookup to the end of the response. */
  readonly durationMs: number;
  /** First 4 kB of the response's body as text that PostgreSQL can store. */
  readonly responseStart: string;
  /** Milliseconds that the receiver asked to wait, by 429 and 503. */
  readonly retryAfterMs: number | undefined;
  /** Code of the system or of TLS behind an outcome without a status, as ECONNREFUSED or CERT_HAS_EXPIRED. */
  readonly errorCode: string | undefined;
}

/** Outcome of a complete response. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'refused';
}

/**
 * Whether a result means that the receiver itself is down, as opposed to refusing this one event. The circuit breaker
 * counts these results.
 */
export function isReceiverDown({ outcome, status = 0 }: Pick<AttemptResult, 'outcome' | 'status'>): boolean {
  if (outcome === 'refused') return status >= 500 || status === 429;
  return outcome !== 'delivered' && outcome !== 'gone' && outcome !== 'cancelled';
}

/** Bytes of a body as text, without what PostgreSQL refuses; a character that was cut at the end is left out. */
export function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\ufffd');
}

const dayMs = 86_400_000;

/**
 * Milliseconds to wait that a Retry-After header asks for: seconds or a date (RFC 9110 section 10.2.3), up to a day.
 * @param nowMs Unix time
 * @returns undefined for a header that is neither
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : parseHttpDate(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), dayMs);
}
