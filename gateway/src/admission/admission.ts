import type { Kept } from '../authorization/answer.ts';

/** What a store is asked: does the answer still hold, and how many of these requests may go on? */
export interface Claim {
  readonly answer: Kept;
  /**
   * The incarnation of the business's generation that was known before the answer was asked for. Absent when the answer
   * was asked for after these requests began: then it holds for them whatever the store remembers.
   */
  readonly incarnation: string | undefined;
  /** Requests to count. */
  readonly wanted: number;
}

/** The answer holds; the first `admitted` requests are counted. */
export interface Counted {
  readonly kind: 'counted';
  readonly admitted: number;
  /** Requests counted in the rolling hour, these included. */
  readonly used: number;
  /** The same when each of the admitted requests had been counted; they follow one another where it is absent. */
  readonly numbers?: readonly number[];
  readonly resetMs: number;
  readonly retryMs: number;
  /** Name of the store's memory of this business; absent when it vouches for nothing later. */
  readonly incarnation: string | undefined;
}

/** The answer no longer holds: ask identity-service again. Nothing was counted. */
export interface Stale {
  readonly kind: 'stale';
  readonly incarnation: string | undefined;
}

/** The store cannot say. */
export interface StoreUnavailable {
  readonly kind: 'unavailable';
}

/** Counts requests and vouches for answers. Never rejects. */
export interface AdmissionStore {
  admit(claim: Claim): Promise<Counted | Stale | StoreUnavailable>;
}
