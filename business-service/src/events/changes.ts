import { AppError } from '@platform/service-kit/values/app-error.ts';

/** Requests that may wait for a change in this process. */
const maxWaiting = 2_000;

/** Maximum of these for one business. */
const maxWaitingPerBusiness = maxWaiting / 8;

/** Businesses that a subscriber may have to catch up with. */
const maxPending = 10_000;

/** Waits for the next change of a business. Changes count from the creation of the watch. */
export interface Watch {
  /** Resolves at the next change, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
  [Symbol.dispose](): void;
}

/** Changes of feeds, as they become known in this process. */
export interface FeedChanges {
  /** Records that the feed of a business has changed. */
  changed(businessId: number): void;
  /** Records that changes may have been missed. */
  missed(): void;
  /** @throws AppError `unavailable` while too many wait, in all or for this business */
  watch(businessId: number): Watch;
  /**
   * Businesses whose feed changes, each once however often it changed since it was last yielded.
   * @throws AppError `unavailable` when changes may have been missed
   */
  subscribe(signal: AbortSignal): AsyncGenerator<readonly number[], void, undefined>;
}

/** Businesses of one batch of a subscription. */
const batchSize = 500;

export function createFeedChanges(): FeedChanges {
  const watches = new Map<number, Set<() => void>>();
  const subscribers = new Set<Subscriber>();
  let waiting = 0;

  function watch(businessId: number): Watch {
    const others = watches.get(businessId) ?? new Set();
    if (waiting >= maxWaiting || others.size >= maxWaitingPerBusiness)
      throw new AppError('unavailable', 'too_many_waiting', 'too many requests wait for events');
    waiting++;
    const { promise, resolve } = Promise.withResolvers<void>();
    watches.set(businessId, others.add(resolve));
    return {
      next: (signal) => firstOf(promise, signal),
      [Symbol.dispose]: () => {
        if (!others.delete(resolve)) return;
        waiting--;
        if (others.size === 0) watches.delete(businessId);
      },
    };
  }

  return {
    watch,
    changed: (businessId) => {
      for (const wake of watches.get(businessId) ?? []) wake();
      for (const subscriber of subscribers) subscriber.add(businessId);
    },
    missed: () => {
      for (const wakes of watches.values()) for (const wake of wakes) wake();
      for (const subscriber of subscribers) subscriber.fail();
    },
    subscribe: async function* (signal) {
      const subscriber = createSubscriber();
      subscribers.add(subscriber);
      try {
        while (!signal.aborted) {
          const batch = subscriber.take();
          if (batch.length > 0) yield batch;
          else await subscriber.next(signal);
        }
      } finally {
        subscribers.delete(subscriber);
      }
    },
  };
}

type Subscriber = ReturnType<typeof createSubscriber>;

function createSubscriber() {
  const pending = new Set<number>();
  let wake: (() => void) | undefined;
  let hasMissed = false;
  const fail = () => {
    hasMissed = true;
    pending.clear();
    wake?.();
  };
  return {
    fail,
    add: (businessId: number) => {
      if (pending.size >= maxPending) fail();
      else pending.add(businessId);
      wake?.();
    },
    take: (): readonly number[] => {
      if (hasMissed) throw new AppError('unavailable', 'changes_missed', 'changes may have been missed');
      const batch = [...pending].slice(0, batchSize);
      for (const businessId of batch) pending.delete(businessId);
      return batch;
    },
    next: (signal: AbortSignal): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      return firstOf(promise, signal);
    },
  };
}

/** Resolves with the promise, or when the signal aborts. */
async function firstOf(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = () => resolve();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
