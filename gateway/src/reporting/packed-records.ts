/*
 * Records wait for their report as bytes outside the heap. As objects, V8 allocates them where it expects long lives, together
 * with their texts: its nursery is copied for longer, and the whole heap is marked every few seconds.
 */

/** Bytes of a batch at first; it doubles when it is full. */
const initialBytes = 16_384;

/** Records of one batch. `T` names who they belong to. */
interface Batch<T> {
  bytes: Buffer;
  length: number;
  readonly owners: T[];
}

/** A queue of encoded records in batches. */
export interface PackedRecords<T> {
  /** Records held. */
  readonly size: number;
  add(owner: T, record: Buffer): void;
  /** Removes the oldest batch; an empty one when there is none. `owners` has one entry per record. */
  take(): { readonly bytes: Buffer; readonly owners: readonly T[] };
}

/** @param perBatch records */
export function createPackedRecords<T>(perBatch: number): PackedRecords<T> {
  const batches: Batch<T>[] = [];
  let size = 0;

  function lastBatch(): Batch<T> {
    const last = batches.at(-1);
    if (last !== undefined && last.owners.length < perBatch) return last;
    const next = { bytes: Buffer.allocUnsafeSlow(initialBytes), length: 0, owners: [] };
    batches.push(next);
    return next;
  }

  return {
    get size() {
      return size;
    },
    add: (owner, record) => {
      const batch = lastBatch();
      const end = batch.length + record.length;
      while (batch.bytes.length < end) {
        batch.bytes = Buffer.concat([batch.bytes], batch.bytes.length * 2);
      }
      record.copy(batch.bytes, batch.length);
      batch.length = end;
      batch.owners.push(owner);
      size++;
    },
    take: () => {
      const { bytes, length, owners } = batches.shift() ?? { bytes: Buffer.alloc(0), length: 0, owners: [] };
      size -= owners.length;
      return { bytes: bytes.subarray(0, length), owners };
    },
  };
}
