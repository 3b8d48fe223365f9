export interface KeyedSemaphoreOptions {
  /** How much there is. */
  readonly total: number;
  /** How much of it may be taken under one key. */
  readonly limitFor: (key: string) => number;
}

/**
 * A limited good of which nobody may have all. What is taken counts under each of its keys (a credential, an address, a
 * kind of route), and under every key there is a bound.
 */
export class KeyedSemaphore {
  readonly #options: KeyedSemaphoreOptions;
  readonly #inUseByKey = new Map<string, number>();
  #inUse = 0;

  constructor(options: KeyedSemaphoreOptions) {
    this.#options = options;
  }

  /** How much is taken. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Whether `amount` was there for every key, and is now taken. */
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

  /** Exactly what was taken under the same keys. */
  release(keys: readonly string[], amount = 1): void {
    this.#inUse -= amount;
    for (const key of keys) {
      const left = (this.#inUseByKey.get(key) ?? 0) - amount;
      if (left > 0) this.#inUseByKey.set(key, left);
      else this.#inUseByKey.delete(key);
    }
  }
}
