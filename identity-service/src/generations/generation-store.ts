/** A business whose gateways have not been told of its latest generation. */
export interface PendingGeneration {
  readonly businessId: number;
  readonly generation: number;
}

/** The durable side of generations: which businesses still have to be propagated. */
export interface GenerationStore {
  /** Some of the pending ones, at most `limit`. */
  findPending(limit: number): Promise<PendingGeneration[]>;
  countPending(): Promise<number>;
  /** Notes that gateways know this generation. */
  markPropagated(propagated: PendingGeneration): Promise<void>;
  /**
   * Makes every generation that was raised within the last milliseconds pending again, for when the cache may have
   * fallen back to an older memory.
   */
  forgetPropagation(withinMs: number): Promise<void>;
}
