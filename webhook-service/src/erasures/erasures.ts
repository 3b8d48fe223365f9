import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { createWaker } from '../queue/waker.ts';
import type { ErasedEvent, ErasureStore } from './store.ts';

/** The erased events of business-service. */
export interface ErasedEvents {
  /** A page after an erasure, in order; none when there are no more. @throws AppError unavailable */
  list(afterId: number): Promise<readonly ErasedEvent[]>;
  /** Confirms that no earlier text is stored or sent. @throws AppError unavailable */
  confirm(ids: readonly number[]): Promise<void>;
}

interface ErasureOptions {
  readonly erased: ErasedEvents;
  readonly store: ErasureStore;
  /** Milliseconds within which an attempt ends that was claimed before an erasure. */
  readonly attemptMs: number;
  readonly logger: Logger;
  /** Milliseconds between rounds without a wake. */
  readonly everyMs: number;
}

/** Milliseconds until what waits for attempts in flight is looked at again. */
const inFlightMs = 200;

/** Erases persons from stored bodies as business-service erases them from events. */
export interface Erasures {
  /** Begins a round. */
  wake(): void;
  stop(): Promise<void>;
}

export function startErasures(options: ErasureOptions): Erasures {
  const stopped = new AbortController();
  const { signal } = stopped;
  const waker = createWaker();
  const run = async () => {
    while (!signal.aborted) {
      const isComplete = await eraseAll(options, signal).catch((err: unknown) => {
        options.logger.warn({ err }, 'persons not erased');
        return true;
      });
      if (!signal.aborted) await waker.wait(isComplete ? options.everyMs : inFlightMs);
    }
  };
  const running = run();
  return {
    wake: waker.wake,
    stop: () => {
      stopped.abort();
      waker.wake();
      return running;
    },
  };
}

/** Erases and confirms page by page; false when some wait for attempts in flight. */
async function eraseAll({ erased, store, attemptMs }: ErasureOptions, signal: AbortSignal): Promise<boolean> {
  let isComplete = true;
  let page: readonly ErasedEvent[] = [];
  do {
    page = await erased.list(page.at(-1)?.id ?? 0);
    if (page.length === 0) break;
    const inFlight = await store.erase(page, attemptMs);
    const done = page.filter(({ eventId }) => !inFlight.has(eventId));
    if (done.length > 0) {
      await store.removeResponses(done.map(({ eventId }) => eventId));
      await erased.confirm(done.map(({ id }) => id));
    }
    isComplete &&= inFlight.size === 0;
  } while (!signal.aborted);
  return isComplete;
}
