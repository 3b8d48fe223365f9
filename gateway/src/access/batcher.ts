import type { Kept } from './authorization-result.ts';

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

/** What became of one request. */
export type Verdict =
  | (Omit<Counted, 'admitted' | 'numbers'> & { readonly admitted: boolean })
  | Stale
  | StoreUnavailable;

interface Batch {
  readonly answer: Kept;
  readonly incarnation: string | undefined;
  readonly waiting: ((verdict: Verdict) => void)[];
}

export type AdmitOne = (answer: Kept, incarnation: string | undefined) => Promise<Verdict>;

/**
 * Sends the requests of one event-loop turn that carry the same answer as one claim. Each still gets its own verdict:
 * of n requests the store admits the first k.
 */
export function createBatcher(store: AdmissionStore): AdmitOne {
  let batches: Batch[] = [];

  async function send({ answer, incarnation, waiting }: Batch): Promise<void> {
    const verdict = await store.admit({ answer, incarnation, wanted: waiting.length });
    waiting.forEach((resolve, index) => {
      resolve(verdict.kind === 'counted' ? verdictOf(verdict, index) : verdict);
    });
  }

  function sendAll(): void {
    const ready = batches;
    batches = [];
    for (const batch of ready) void send(batch);
  }

  return (answer, incarnation) =>
    new Promise((resolve) => {
      const batch = batches.find((b) => b.answer === answer && b.incarnation === incarnation);
      if (batch !== undefined) {
        batch.waiting.push(resolve);
        return;
      }
      if (batches.length === 0) setImmediate(sendAll);
      batches.push({ answer, incarnation, waiting: [resolve] });
    });
}

/** `used` as it was when the request at `index` of the batch had its turn. */
function verdictOf(counted: Counted, index: number): Verdict {
  const { admitted, used, numbers, ...rest } = counted;
  if (index >= admitted) return { ...rest, admitted: false, used };
  return { ...rest, admitted: true, used: numbers?.[index] ?? used - admitted + index + 1 };
}
