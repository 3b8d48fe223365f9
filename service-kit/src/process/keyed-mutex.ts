export type RunExclusive<Key> = (key: Key, work: () => Promise<void>) => Promise<void>;

/** Runs work on a key after all earlier work on it. */
export function createKeyedMutex<Key>(): RunExclusive<Key> {
  const tails = new Map<Key, Promise<void>>();
  return (key, work) => {
    const done = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = done
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return done;
  };
}
