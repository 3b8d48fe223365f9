/*
 * Records wait for their report as bytes outside the heap. V8 learns that objects which wait live long, and allocates all of their
 * kind in the old generation: it fills, and the whole heap is marked every few seconds.
 */

/** Bytes of a batch at first; it doubles when it is full. */
const initialBytes = 16_384;

/** Records of one batch, and whose room each takes. */
interface Batch {
  bytes: Buffer;
  length: number;
  readonly businessIds: (number | undefined)[];
}

/** A queue of encoded records in batches. */
export interface PackedRecords {
  /** Records held. */
  readonly size: number;
  add(businessId: number | undefined, record: Buffer): void;
  /** Removes the oldest batch; an empty one when there is none. */
  take(): Pick<Batch, 'bytes' | 'businessIds'>;
}

/** @param perBatch records */
export function createPackedRecords(perBatch: number): PackedRecords {
  const batches: Batch[] = [];
  let size = 0;

  function lastBatch(): Batch {
    const last = batches.at(-1);
    if (last !== undefined && last.businessIds.length < perBatch) return last;
    const next = { bytes: Buffer.allocUnsafeSlow(initialBytes), length: 0, businessIds: [] };
    batches.push(next);
    return next;
  }

  return {
    get size() {
      return size;
    },
    add: (businessId, record) => {
      const batch = lastBatch();
      const end = batch.length + record.length;
      while (batch.bytes.length < end) {
        batch.bytes = Buffer.concat([batch.bytes], batch.bytes.length * 2);
      }
      record.copy(batch.bytes, batch.length);
      batch.length = end;
      batch.businessIds.push(businessId);
      size++;
    },
    take: () => {
      const { bytes, length, businessIds } = batches.shift() ?? {
        bytes: Buffer.alloc(0),
        length: 0,
        businessIds: [],
      };
      size -= businessIds.length;
      return { bytes: bytes.subarray(0, length), businessIds };
    },
  };
}
