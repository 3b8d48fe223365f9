import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { CountedFailure, OAuthFailure, OAuthFailureStore } from './oauth-failure-store.ts';

/** Failures of one client that are kept separately until they are stored. */
const maxPerClient = 20;

const maxAll = 1_000;

/** Collects failures in memory, so that recording neither delays a response nor reveals anything by its time. */
export interface OAuthFailures {
  record(failure: OAuthFailure): void;
  /** Removes and returns all. */
  take(): CountedFailure[];
  /** Failures dropped since the last call. */
  takeDroppedCount(): number;
}

/**
 * Past the limit of a client, failures are added to the last one with the same reason. Authenticated clients have a separate
 * limit, so that strangers who know the public client ID cannot hide their failures.
 */
export function createOAuthFailures(): OAuthFailures {
  let byClient = new Map<string, { failure: OAuthFailure; requests: number }[]>();
  let held = 0;
  let dropped = 0;
  return {
    record: (failure) => {
      const { clientId, isAuthenticated, reason } = failure;
      const key = `${clientId ?? ''} ${isAuthenticated}`;
      const waiting = byClient.get(key) ?? [];
      if (waiting.length < maxPerClient && held < maxAll) {
        byClient.set(key, [...waiting, { failure, requests: 1 }]);
        held++;
        return;
      }
      const same = waiting.findLast((each) => each.failure.reason === reason);
      if (same === undefined || clientId === undefined) dropped++;
      else same.requests++;
    },
    take: () => {
      const taken = [...byClient.values()].flat();
      byClient = new Map();
      held = 0;
      return taken.map(({ failure, requests }) => ({ ...failure, requests }));
    },
    takeDroppedCount: () => {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}

/** Milliseconds between two rounds. */
const roundMs = 1_000;

interface OAuthFailureLogDeps {
  readonly store: OAuthFailureStore;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Stores what is recorded, as long as the service runs. While the database is unavailable, a batch waits for it. */
export function startOAuthFailureLog(
  { store, registry, logger }: OAuthFailureLogDeps,
  resources: AsyncDisposableStack,
): OAuthFailures {
  const failures = createOAuthFailures();
  const dropped = new Counter({
    name: 'identity_oauth_records_dropped_total',
    help: 'Failed OAuth requests that were not recorded because too many failed at once',
    registers: [registry],
  });
  let pending: readonly CountedFailure[] = [];
  const write = async () => {
    dropped.inc(failures.takeDroppedCount());
    if (pending.length === 0) pending = failures.take();
    if (pending.length === 0) return;
    await store.add(pending);
    pending = [];
  };
  const name = 'oauth failures';
  const loop = startLoop({ name, everyMs: roundMs, firstAfterMs: roundMs, round: write, logger });
  resources.defer(async () => {
    await loop.stop();
    await write().catch((error: unknown) => logger.warn({ err: error, loop: name }, 'last round failed'));
  });
  return failures;
}
