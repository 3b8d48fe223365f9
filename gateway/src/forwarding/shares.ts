export interface SharesOptions {
  /** How much there is. */
  readonly total: number;
  /** How much of it may be taken under one key. */
  readonly boundOf: (key: string) => number;
}

/**
 * A limited good of which nobody may have all. What is taken counts under each of its keys (a credential, an address, a
 * kind of route), and under every key there is a bound.
 */
export class Shares {
  readonly #options: SharesOptions;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  /** How much is taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether `amount` was there for every key, and is now taken. */
  tryTake(keys: readonly string[], amount = 1): boolean {
    const { total, boundOf } = this.#options;
    if (this.#taken + amount > total) return false;
    for (const key of keys) {
      if ((this.#takenBy.get(key) ?? 0) + amount > boundOf(key)) return false;
    }
    this.#taken += amount;
    for (const key of keys) this.#takenBy.set(key, (this.#takenBy.get(key) ?? 0) + amount);
    return true;
  }

  /** Exactly what was taken under the same keys. */
  giveBack(keys: readonly string[], amount = 1): void {
    this.#taken -= amount;
    for (const key of keys) {
      const left = (this.#takenBy.get(key) ?? 0) - amount;
      if (left > 0) this.#takenBy.set(key, left);
      else this.#takenBy.delete(key);
    }
  }
}
