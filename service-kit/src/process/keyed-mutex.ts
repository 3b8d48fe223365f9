export type RunExclusive<Key> = <Result>(key: Key, work: () => Promise<Result>) => Promise<Result>;

/** Runs work on a key after all earlier work on it. */
export function createKeyedMutex<Key>(): RunExclusive<Key> {
  const tails = new Map<Key, Promise<void>>();
  return (key, work) => {
    const done = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = done
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return done;
  };
}
