import type { originService } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc-client.ts';
import type { Logger } from '@platform/service-kit/logger.ts';

/** Origins that some application allows; all there is to judge a request without a credential by. */
export interface AllowedOrigins {
  /** Whether some application allows it. Never rejects; while nothing is known, none does. */
  has(origin: string): Promise<boolean> | boolean;
}

export interface AllowedOriginsDeps {
  readonly client: Pick<GrpcClient<typeof originService>, 'rpc'>;
  /** Milliseconds after which a call is given up. */
  readonly deadlineMs: number;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
  readonly logger: Logger;
}

/** Age in milliseconds at which the list is asked for again, and at which it counts no longer. */
const freshMs = 1_000;
const keptMs = 30_000;

/**
 * Keeps the whole list, so that unknown origins cost nothing, however many come: at most one call a second goes to
 * identity-service, which bounds the list, and none while no browser calls.
 */
export function createAllowedOrigins(deps: AllowedOriginsDeps): AllowedOrigins {
  const { client, deadlineMs, monotonicNow, logger } = deps;
  let list = { version: '', origins: new Set<string>(), readAt: Number.NEGATIVE_INFINITY };
  let askedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const since = monotonicNow();
    askedAt = since;
    try {
      const request = { knownVersion: list.version };
      const { version, origins } = await client.rpc.ListAllowedOrigins(request, { deadlineMs });
      const isSame = version === list.version;
      list = { version, origins: isSame ? list.origins : new Set(origins), readAt: since };
    } catch (error) {
      logger.warn({ err: error }, 'identity-service did not list the allowed origins');
    } finally {
      running = undefined;
    }
  }

  const includes = (origin: string) => monotonicNow() - list.readAt < keptMs && list.origins.has(origin);
  return {
    has: (origin) => {
      if (running === undefined && monotonicNow() - askedAt >= freshMs) running = refresh();
      // Pages that are known do not wait: identity-service may be slow, and their tokens are judged anyway.
      if (running === undefined || includes(origin)) return includes(origin);
      return running.then(() => includes(origin));
    },
  };
}
