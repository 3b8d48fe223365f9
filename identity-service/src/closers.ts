/** What has been opened, to be closed in reverse order. */
export interface Closers {
  add(close: () => unknown): void;
  /** Closes everything; resolves when nothing is left open. */
  closeAll(): Promise<void>;
}

export function createClosers(): Closers {
  const closers: (() => unknown)[] = [];
  return {
    add: (close) => {
      closers.push(close);
    },
    closeAll: async () => {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
}
