/** The shared memory in which gateways see a business's credential generation. */
export interface GenerationCache {
  /** Raises the generation, never lowers it. Rejects when that is not certain within about a second. */
  raise(businessId: number, generation: number): Promise<void>;
}

/** For a platform without a shared cache: its gateways ask on every request, so there is nobody to tell. */
export const noGenerationCache: GenerationCache = { raise: async () => {} };
