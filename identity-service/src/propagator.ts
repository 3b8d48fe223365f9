import type { Logger } from '@platform/service-kit/logger.ts';
import type { Gauge } from '@platform/service-kit/metrics.ts';
import { type RedisClient, watchRedis } from '@platform/service-kit/redis-client.ts';
import type { Closers } from './closers.ts';
import { noGenerationCache } from './generations/generation-cache.ts';
import type { GenerationStore } from './generations/generation-store.ts';
import { propagateGeneration } from './generations/propagate-generation.ts';
import { propagatePending } from './generations/propagate-pending.ts';
import type { Propagate } from './generations/propagation.ts';
import { startLoop } from './loop.ts';
import { createRedisGenerationCache } from './redis/redis-generation-cache.ts';

const roundMs = 1_000;
/** How old a memory Redis may plausibly come back with: its own default is to save at least once an hour. */
const staleMemoryMs = 2 * 60 * 60_000;

export interface PropagatorOptions {
  readonly redis: RedisClient | undefined;
  readonly store: GenerationStore;
  readonly pendingGauge: Gauge;
  readonly logger: Logger;
}

/** Tells gateways of changes at once, and repeats every second what did not get through. */
export function startPropagator(
  { redis, store, pendingGauge, logger }: PropagatorOptions,
  closers: Closers,
): Propagate {
  const cache = redis ? createRedisGenerationCache(redis) : noGenerationCache;
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'generation not propagated');
  const propagate: Propagate = (businessId, generation) =>
    propagateGeneration({ cache, store, onFailure }, businessId, generation);

  // A Redis that comes back may remember less than it was told, and so may one that we meet for the first time.
  const repeatRecent = () => store.forgetPropagation(staleMemoryMs).catch(onFailure);
  let isOther = false;
  if (redis) {
    const onLost = () => {
      isOther = true;
    };
    watchRedis(redis, { onReady: () => void repeatRecent(), onLost });
    void repeatRecent();
  }
  const loop = startLoop({
    name: 'propagate',
    everyMs: roundMs,
    round: async () => {
      // Another server of a Cluster has taken over, perhaps: there is no new connection that would say so.
      if (isOther) await repeatRecent();
      isOther = false;
      pendingGauge.set(await propagatePending(store, propagate));
    },
    logger,
  });
  closers.add(loop.stop);
  return propagate;
}
