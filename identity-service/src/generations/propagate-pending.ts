import type { GenerationStore } from './generation-store.ts';
import type { Propagate } from './propagation.ts';

const batchSize = 100;

/** Tells gateways of what earlier attempts could not: one bounded batch. Resolves to how many stay pending. */
export async function propagatePending(store: GenerationStore, propagate: Propagate): Promise<number> {
  const pending = await store.findPending(batchSize);
  await Promise.all(pending.map(({ businessId, generation }) => propagate(businessId, generation)));
  return store.countPending();
}
