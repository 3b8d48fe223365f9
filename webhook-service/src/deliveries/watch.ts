import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Owner } from '../endpoints/endpoint.ts';

/** Reads a version for each owner, in order: a text that differs after every visible change. @throws AppError unavailable */
export type ReadVersions = (owners: readonly Owner[]) => Promise<readonly string[]>;

/** Maximum number of watches. Each open dashboard page has one. */
const maxWatches = 1_000;

/** Milliseconds between reads. One statement serves all watches. */
const lookMs = 1_000;

interface Watch {
  readonly owner: Owner;
  version: string | undefined;
  readonly changed: () => void;
}

/** Watches deliveries and endpoints of owners, whichever replica changes them. */
export interface DeliveryWatcher {
  /** Yields at the start and after changes, at most once a second. @throws AppError for too many watches */
  watch(owner: Owner, signal: AbortSignal): AsyncGenerator<void, void, undefined>;
  stop(): Promise<void>;
}

interface WatcherOptions {
  readonly readVersions: ReadVersions;
  readonly logger: Logger;
}

/** Reads versions instead of using LISTEN, because NOTIFY would serialize the commits of transactions that store deliveries. */
export function createDeliveryWatcher({ readVersions, logger }: WatcherOptions): DeliveryWatcher {
  const watches = new Set<Watch>();
  const look = async () => {
    const looked = [...watches];
    if (looked.length === 0) return;
    const versions = await readVersions(looked.map(({ owner }) => owner));
    for (const [index, watch] of looked.entries()) {
      if (watch.version === versions[index]) continue;
      watch.version = versions[index];
      watch.changed();
    }
  };
  const loop = startLoop({ name: 'watch deliveries', everyMs: lookMs, round: look, logger });
  return {
    watch: async function* (owner, signal) {
      if (watches.size >= maxWatches) {
        throw new AppError('unavailable', 'too_many_watches', 'too many pages are open');
      }
      const turn = createTurn(signal);
      const watch = { owner, version: undefined, changed: turn.wake };
      watches.add(watch);
      try {
        while (await turn.next()) yield;
      } finally {
        watches.delete(watch);
      }
    },
    stop: loop.stop,
  };
}

/** Waits for wakes. Several wakes between two waits count as one. */
function createTurn(signal: AbortSignal) {
  let isWoken = false;
  let resolve = () => {};
  const wake = () => {
    isWoken = true;
    resolve();
  };
  signal.addEventListener('abort', wake, { once: true });
  return {
    wake,
    /** Resolves at the next wake; to false when the signal has aborted. */
    next: async (): Promise<boolean> => {
      if (!isWoken && !signal.aborted) {
        await new Promise<void>((done) => {
          resolve = done;
        });
      }
      isWoken = false;
      return !signal.aborted;
    },
  };
}
