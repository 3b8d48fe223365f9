import type { GenerationCache } from './generation-cache.ts';
import type { GenerationStore } from './generation-store.ts';
import type { Propagation } from './propagation.ts';

export interface PropagationDeps {
  readonly cache: GenerationCache;
  readonly store: Pick<GenerationStore, 'markPropagated'>;
  /** Hears of failures that the answer hides. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Tells gateways of a committed generation. A failure is not an error of the caller's change: the row stays
 * pending, and `propagatePending` of any replica tells them later.
 */
export async function propagateGeneration(
  { cache, store, onFailure }: PropagationDeps,
  businessId: number,
  generation: number,
): Promise<Propagation> {
  try {
    await cache.raise(businessId, generation);
  } catch (error) {
    onFailure(error);
    return 'pending';
  }
  // Gateways know; should the mark get lost, the worst is that they are told once more.
  await store.markPropagated({ businessId, generation }).catch(onFailure);
  return 'confirmed';
}
