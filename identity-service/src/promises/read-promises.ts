import { type KeptPromises, keptPromises } from './record.ts';
import type { PromiseStore } from './store.ts';

/** Milliseconds for which one reading serves every request. */
const servedMs = 10_000;

/** Reads how the promises were kept, once in ten seconds however many ask. */
export function createPromisesReader(store: Pick<PromiseStore, 'read'>): () => Promise<KeptPromises> {
  let latest: { readonly promises: Promise<KeptPromises>; readonly until: number } | undefined;
  return () => {
    if (latest !== undefined && performance.now() < latest.until) return latest.promises;
    const promises = store.read().then(keptPromises);
    const reading = { promises, until: performance.now() + servedMs };
    latest = reading;
    promises.catch(() => {
      if (latest === reading) latest = undefined;
    });
    return promises;
  };
}
