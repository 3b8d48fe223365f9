interface KeyedSemaphoreOptions {
  /** Capacity in total. */
  readonly total: number;
  /** Capacity per key. */
  readonly limitFor: (key: string) => number;
}

/**
 * Semaphore with limits per key (a credential, a business, a network, a kind of route), so that none can use the whole capacity.
 */
export class KeyedSemaphore {
  readonly #options: KeyedSemaphoreOptions;
  readonly #inUseByKey = new Map<string, number>();
  #inUse = 0;

  constructor(options: KeyedSemaphoreOptions) {
    this.#options = options;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Whether a key has used up its own capacity. Ignores the total capacity. */
  isAtLimit(key: string): boolean {
    return (this.#inUseByKey.get(key) ?? 0) >= this.#options.limitFor(key);
  }

  /** Acquires `amount` under every key, or nothing. Returns whether it was available. */
  tryAcquire(keys: readonly string[], amount = 1): boolean {
    const { total, limitFor } = this.#options;
    if (this.#inUse + amount > total) return false;
    for (const key of keys) {
      if ((this.#inUseByKey.get(key) ?? 0) + amount > limitFor(key)) return false;
    }
    this.#inUse += amount;
    for (const key of keys) this.#inUseByKey.set(key, (this.#inUseByKey.get(key) ?? 0) + amount);
    return true;
  }

  /** Releases what was acquired under the same keys. */
  release(keys: readonly string[], amount = 1): void {
    this.#inUse -= amount;
    for (const key of keys) {
      const left = (this.#inUseByKey.get(key) ?? 0) - amount;
      if (left > 0) this.#inUseByKey.set(key, left);
      else this.#inUseByKey.delete(key);
    }
  }
}
