import type { Kept } from '../authorization/answer.ts';
import type { AdmissionStore, Counted, Stale, StoreUnavailable } from './admission.ts';

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
