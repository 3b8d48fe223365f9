import type { CacheableResult } from './authorization-result.ts';
import type { KnownEpoch } from './redis-epochs.ts';

/** A batch of requests with the same authorization: is it still valid, and how many requests may be admitted? */
export interface AdmissionRequest {
  readonly authorization: CacheableResult;
  /**
   * Epoch of the business in Redis that was known before the authorization was fetched. Absent when the authorization
   * was fetched after these requests began: then it needs no confirmation by Redis.
   */
  readonly epoch: KnownEpoch | undefined;
  /** Number of requests to count. */
  readonly requested: number;
}

/** The authorization is valid; the first `admitted` requests are counted. */
export interface Counted {
  readonly kind: 'counted';
  readonly admitted: number;
  /** Requests in the rolling hour, these included. */
  readonly used: number;
  /** `used` after each admitted request; consecutive when absent. */
  readonly usedPerRequest?: readonly number[];
  readonly resetMs: number;
  readonly retryMs: number;
  /** Epoch of the business in this limiter; absent when it confirms no cached authorization. */
  readonly epoch: string | undefined;
}

/** The authorization is outdated: fetch it again. Nothing was counted. */
export interface Stale {
  readonly kind: 'stale';
  readonly epoch: string | undefined;
}

/** The limiter cannot be reached. */
export interface LimiterUnavailable {
  readonly kind: 'unavailable';
}

/** Counts requests and confirms cached authorizations. Never rejects. */
export interface Limiter {
  admit(request: AdmissionRequest): Promise<Counted | Stale | LimiterUnavailable>;
}

/** Result for one request. */
export type AdmissionResult =
  | (Omit<Counted, 'admitted' | 'usedPerRequest'> & { readonly admitted: boolean })
  | Stale
  | LimiterUnavailable;

interface Batch {
  readonly authorization: CacheableResult;
  readonly epoch: KnownEpoch | undefined;
  readonly waiting: ((admission: AdmissionResult) => void)[];
}

export type Admit = (
  authorization: CacheableResult,
  epoch: KnownEpoch | undefined,
) => Promise<AdmissionResult>;

/**
 * Sends the requests of one event-loop turn with the same authorization as one batch, so that Redis runs one command
 * for all. Each gets its own result: of n requests the limiter admits the first k.
 */
export function createBatcher(limiter: Limiter): Admit {
  let batches: Batch[] = [];

  async function send({ authorization, epoch, waiting }: Batch): Promise<void> {
    const admission = await limiter.admit({ authorization, epoch, requested: waiting.length });
    waiting.forEach((resolve, index) => {
      resolve(admission.kind === 'counted' ? resultAt(admission, index) : admission);
    });
  }

  function sendAll(): void {
    const ready = batches;
    batches = [];
    for (const batch of ready) void send(batch);
  }

  return (authorization, epoch) =>
    new Promise((resolve) => {
      const batch = batches.find((b) => b.authorization === authorization && b.epoch === epoch);
      if (batch !== undefined) {
        batch.waiting.push(resolve);
        return;
      }
      if (batches.length === 0) setImmediate(sendAll);
      batches.push({ authorization, epoch, waiting: [resolve] });
    });
}

/** Confirms authorizations as the batcher does, and counts nothing: a request is admitted in an hour that is used up, too. */
export function createPeek(limiter: Limiter): Admit {
  return async (authorization, epoch) => {
    const admission = await limiter.admit({ authorization, epoch, requested: 0 });
    return admission.kind === 'counted' ? { ...admission, admitted: true } : admission;
  };
}

/** `used` as of the request at `index`. */
function resultAt(counted: Counted, index: number): AdmissionResult {
  const { kind, admitted, used, usedPerRequest, resetMs, retryMs, epoch } = counted;
  const isAdmitted = index < admitted;
  const usedThen = isAdmitted ? (usedPerRequest?.[index] ?? used - admitted + index + 1) : used;
  return { kind, admitted: isAdmitted, used: usedThen, resetMs, retryMs, epoch };
}
