import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { LRUCache } from 'lru-cache';
import type { OAuthCall, OAuthCallStore, UnlistedCalls } from './oauth-call-store.ts';
import type { RequestBatch, RequestLog } from './request-log.ts';

/** Calls held until they are stored. */
const maxAll = 1_000;

/** Calls a minute that are listed of strangers who name a client; authenticated clients have limits of their own. */
const strangersPerMinute = 20;

/** Clients whose strangers are counted. */
const maxClients = 10_000;

const minuteMs = 60_000;

/** Collects calls in memory, so that recording neither delays a response nor reveals anything by its time. */
export interface OAuthCalls {
  record(call: OAuthCall): void;
  /** Removes and returns all, and the numbers of those that are not listed. */
  take(): { readonly calls: readonly OAuthCall[]; readonly unlisted: UnlistedCalls };
}

/**
 * A client ID is public, so strangers can name it. Past a limit per minute their calls are only counted, so that they
 * neither fill the log of a business nor hide the calls of its application.
 */
export function createOAuthCalls(onDropped: () => void): OAuthCalls {
  const strangers = new LRUCache<string, { readonly minute: number; calls: number }>({ max: maxClients });
  let waiting: OAuthCall[] = [];
  let unlisted = new Map<string, { readonly at: number; readonly requests: number }>();

  /** Whether a call of a stranger is one too many. */
  function isExcess({ isAuthenticated, clientId, at }: OAuthCall): boolean {
    if (isAuthenticated || clientId === undefined) return false;
    const minute = Math.floor(at / minuteMs);
    const known = strangers.get(clientId);
    const counted = known?.minute === minute ? known : { minute, calls: 0 };
    counted.calls++;
    strangers.set(clientId, counted);
    return counted.calls > strangersPerMinute;
  }

  return {
    record: (call) => {
      if (waiting.length < maxAll && !isExcess(call)) {
        waiting.push(call);
        return;
      }
      onDropped();
      const { clientId, at } = call;
      if (clientId === undefined) return;
      unlisted.set(clientId, { at, requests: (unlisted.get(clientId)?.requests ?? 0) + 1 });
    },
    take: () => {
      const taken = { calls: waiting, unlisted };
      waiting = [];
      unlisted = new Map();
      return taken;
    },
  };
}

/** Milliseconds between two rounds. */
const roundMs = 1_000;

interface OAuthCallLogDeps {
  readonly oauthCalls: OAuthCallStore;
  readonly requests: Pick<RequestLog, 'add'>;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Stores what is recorded, as long as the service runs. While the database is unavailable, a batch waits for it. */
export function startOAuthCallLog(
  { oauthCalls, requests, registry, logger }: OAuthCallLogDeps,
  resources: AsyncDisposableStack,
): OAuthCalls {
  const dropped = new Counter({
    name: 'identity_oauth_records_dropped_total',
    help: 'OAuth requests that are not in the log because there were too many',
    registers: [registry],
  });
  const collected = createOAuthCalls(() => dropped.inc());
  let taken: ReturnType<OAuthCalls['take']> | undefined;
  let batch: RequestBatch | undefined;
  const write = async () => {
    taken ??= collected.take();
    if (taken.calls.length + taken.unlisted.size > 0) {
      batch ??= await oauthCalls.batchOf(taken.calls, taken.unlisted);
      await requests.add(batch);
    }
    taken = undefined;
    batch = undefined;
  };
  const name = 'oauth calls';
  const loop = startLoop({ name, everyMs: roundMs, firstAfterMs: roundMs, round: write, logger });
  resources.defer(async () => {
    await loop.stop();
    await write().catch((error: unknown) => logger.warn({ err: error, loop: name }, 'last round failed'));
  });
  return collected;
}
