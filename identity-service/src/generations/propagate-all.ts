import type { Propagate, Propagation } from './propagation.ts';

/** The new generation of a business. */
export interface RaisedGeneration {
  readonly businessId: number;
  readonly generation: number;
}

/** Tells gateways of several businesses: confirmed when every one is. */
export async function propagateAll(
  propagate: Propagate,
  raised: readonly RaisedGeneration[],
): Promise<Propagation> {
  const answers = await Promise.all(
    raised.map(({ businessId, generation }) => propagate(businessId, generation)),
  );
  return answers.includes('pending') ? 'pending' : 'confirmed';
}
