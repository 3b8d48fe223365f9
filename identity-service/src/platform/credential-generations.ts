import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { startLoop } from '@platform/service-kit/process/loop.ts';
import { withTimeout } from '@platform/service-kit/process/timeout.ts';
import type { RedisAddress } from '@platform/service-kit/redis/redis.ts';
import { createRedisClient, type RedisClient, watchRedis } from '@platform/service-kit/redis/redis.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Gauge, Histogram, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import { createRedisGenerationCache, type GenerationCache, noGenerationCache } from './generation-cache.ts';
import { notePropagation } from './revocation-times.ts';
import type { PrismaClient } from './storage.ts';

/** Whether every gateway knows of a change: `pending` means that they confirm within 30 seconds. */
export type Propagation = 'confirmed' | 'pending';

/**
 * Publishes generations, which invalidates cached authorizations of their businesses. Never fails: resolves to `pending` unless
 * every one is confirmed.
 */
export type Propagate = (raised: readonly RaisedGeneration[]) => Promise<Propagation>;

/** The new generation of a business. */
export interface RaisedGeneration {
  readonly businessId: number;
  readonly generation: number;
}

const raisedRow = z.object({ businessId: integer, generation: integer });

/** Raises a business's credential generation; a business without a row is at 1. Resolves to the new generation. */
export async function raiseGeneration(client: Prisma.TransactionClient, businessId: number): Promise<number> {
  const [row] = await raiseGenerations(client, [businessId]);
  if (row === undefined) throw new Error('an upsert returned no row');
  return row.generation;
}

/** Raises several, always in the same order, so that transactions that raise the same ones never deadlock. */
export async function raiseGenerations(
  client: Prisma.TransactionClient,
  businessIds: readonly number[],
): Promise<RaisedGeneration[]> {
  const ids = [...new Set(businessIds)];
  if (ids.length === 0) return [];
  const upsert = client.$queryRaw`
    INSERT INTO credential_generations AS stored (business_id, generation, propagated)
    SELECT id, 2, 1 FROM unnest(${ids}::bigint[]) AS id ORDER BY id
    ON CONFLICT (business_id) DO UPDATE
    SET generation = stored.generation + 1, raised_at = clock_timestamp()
    RETURNING business_id AS "businessId", generation`;
  return readRows(raisedRow, upsert);
}

type GenerationStore = ReturnType<typeof createGenerationStore>;

/** The durable side of generations: which businesses still have to be propagated. */
export function createGenerationStore(database: Database, prisma: PrismaClient) {
  const { credentialGeneration: generations } = prisma;
  const pending = { propagated: { lt: generations.fields.generation } };
  return {
    /** Businesses whose latest generation is not published yet, at most `limit`. */
    findPending: (limit: number): Promise<RaisedGeneration[]> =>
      database.run(async () => {
        const rows = await generations.findMany({
          where: pending,
          select: { businessId: true, generation: true },
          orderBy: { businessId: 'asc' },
          take: limit,
        });
        return rows.map((row) => ({
          businessId: Number(row.businessId),
          generation: Number(row.generation),
        }));
      }),
    countPending: (): Promise<number> => database.run(() => generations.count({ where: pending })),
    /** Notes that gateways know these generations. Locks in the order of `raiseGenerations`. */
    markPropagated: (published: readonly RaisedGeneration[]): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE credential_generations AS stored SET propagated = published.generation
          FROM (
            SELECT business_id, p.generation FROM credential_generations
            JOIN unnest(${published.map(({ businessId }) => businessId)}::bigint[],
                        ${published.map(({ generation }) => generation)}::bigint[]) AS p (business_id, generation)
              USING (business_id)
            ORDER BY business_id FOR NO KEY UPDATE OF credential_generations
          ) AS published
          WHERE stored.business_id = published.business_id AND stored.propagated < published.generation`;
      }),
    /**
     * Marks generations that were raised within the last `withinMs` milliseconds as pending again, because Redis may have
     * lost recent data. Locks in the order of `raiseGenerations`.
     */
    forgetPropagation: (withinMs: number): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE credential_generations AS stored SET propagated = 0
          FROM (
            SELECT business_id FROM credential_generations
            WHERE raised_at > clock_timestamp() - make_interval(secs => ${withinMs / 1000}::float8)
            ORDER BY business_id FOR NO KEY UPDATE
          ) AS recent
          WHERE stored.business_id = recent.business_id`;
      }),
  };
}

interface PropagationDeps {
  readonly cache: GenerationCache;
  readonly store: Pick<GenerationStore, 'markPropagated'>;
  /** Called with failures that the result does not show. */
  readonly onFailure: (error: unknown) => void;
  readonly metrics: Pick<PropagationMetrics, 'attempted'>;
}

/** Generations that are published concurrently: few enough to finish in time beside those of other changes. */
const batchSize = 100;

/**
 * Publishes committed generations to gateways. A failure does not fail the change: the rows stay pending, and
 * `propagatePending` of any replica publishes them later.
 */
async function propagateGenerations(
  deps: PropagationDeps,
  raised: readonly RaisedGeneration[],
): Promise<Propagation> {
  for (let first = 0; first < raised.length; first += batchSize) {
    const batch = raised.slice(first, first + batchSize);
    const results = await Promise.all(batch.map((each) => publish(deps, each)));
    const published = batch.filter((_, index) => results[index] === 'confirmed');
    // If the mark is not stored, they are published again, which does no harm.
    if (published.length > 0) await deps.store.markPropagated(published).catch(deps.onFailure);
    // Further batches would probably fail for the same reason.
    if (published.length < batch.length) return 'pending';
  }
  return 'confirmed';
}

async function publish(
  { cache, onFailure, metrics }: PropagationDeps,
  { businessId, generation }: RaisedGeneration,
): Promise<Propagation> {
  const startedAt = performance.now();
  const secondsSince = () => (performance.now() - startedAt) / 1000;
  try {
    await cache.raise(businessId, generation);
  } catch (error) {
    metrics.attempted('pending', secondsSince());
    onFailure(error);
    return 'pending';
  }
  metrics.attempted('confirmed', secondsSince());
  return 'confirmed';
}

/** Pending generations of one round. */
const roundSize = 2_000;

/** Publishes up to `roundSize` generations that earlier attempts could not. Resolves to the number that is still pending. */
export async function propagatePending(store: GenerationStore, propagate: Propagate): Promise<number> {
  const pending = await store.findPending(roundSize);
  if (pending.length === 0) return 0;
  await propagate(pending);
  return store.countPending();
}

const roundMs = 1_000;

/** Rounds between searches for generations that another replica left unpublished when it ended. */
const lookEvery = 5;

/** Plausible age of the data with which Redis restarts. By default it saves at least once an hour. */
const staleMemoryMs = 2 * 60 * 60_000;

interface PropagatorOptions {
  readonly redis: RedisClient | undefined;
  /** Milliseconds in which a change must be in Redis to be confirmed. */
  readonly limitMs: number;
  readonly store: GenerationStore;
  readonly metrics: PropagationMetrics;
  readonly logger: Logger;
}

const failureLog = (logger: Logger) => (error: unknown) =>
  logger.warn({ err: error }, 'generation not propagated');

/** Publishes changes to gateways at once. Failed ones stay pending; the service's propagator repeats them. */
export function createPropagate({ redis, limitMs, store, metrics, logger }: PropagatorOptions): Propagate {
  const cache = redis ? createRedisGenerationCache(redis, limitMs) : noGenerationCache;
  const deps = { cache, store, onFailure: failureLog(logger), metrics };
  return async (raised) => {
    const propagation = await propagateGenerations(deps, raised);
    if (raised.length > 0) notePropagation(propagation === 'confirmed');
    return propagation;
  };
}

/** The same, and repeats failed ones every second. */
export function startPropagator(options: PropagatorOptions, resources: AsyncDisposableStack): Propagate {
  const { redis, store, metrics, logger } = options;
  const onFailure = failureLog(logger);
  const propagateOnce = createPropagate(options);
  // Rounds until the next search for pending generations.
  let restRounds = 0;
  const propagate: Propagate = async (raised) => {
    const propagation = await propagateOnce(raised);
    if (propagation === 'pending') restRounds = 0;
    return propagation;
  };

  // Redis may lack published generations after it was unreachable or replaced. So may a server of a Cluster that has taken
  // over, which causes no new connection here.
  let mayLack = redis !== undefined;
  const repeatRecent = async () => {
    mayLack = false;
    restRounds = 0;
    await store.forgetPropagation(staleMemoryMs).catch((error: unknown) => {
      mayLack = true;
      onFailure(error);
    });
  };
  if (redis) {
    const onLost = () => {
      mayLack = true;
    };
    watchRedis(redis, { onReady: () => void repeatRecent(), onLost });
  }
  const loop = startLoop({
    name: 'propagate',
    everyMs: roundMs,
    round: async () => {
      if (mayLack) await repeatRecent();
      if (restRounds-- > 0) return;
      const pending = await propagatePending(store, propagate);
      metrics.pending(pending);
      restRounds = pending === 0 ? lookEvery - 1 : 0;
    },
    logger,
  });
  resources.defer(loop.stop);
  return propagate;
}

/** Milliseconds for which a start waits for Redis. Without reachable Sentinels ioredis would retry without an end. */
const firstAttemptMs = 2_000;

/**
 * Connects to Redis and reconnects when needed. Commands fail at once without a connection, and after `commandTimeoutMs`
 * without a reply. Resolves when the first attempt to connect has succeeded or failed, or takes too long.
 */
export async function connectRedis(
  address: RedisAddress,
  commandTimeoutMs: number,
  logger: Logger,
): Promise<RedisClient> {
  const redis = createRedisClient(address, {
    commandTimeoutMs,
    followsRedirects: true,
    autoPipelining: true,
  });
  let connected = true;
  redis.on('ready', () => {
    connected = true;
  });
  // Once per outage, not once per attempt.
  redis.on('error', (error) => {
    if (connected) logger.warn({ err: error }, 'redis connection lost');
    connected = false;
  });
  await withTimeout(redis.connect(), firstAttemptMs).catch(() => undefined);
  return redis;
}

export interface PropagationMetrics {
  /** An attempt to publish one generation has ended. */
  attempted(result: Propagation, seconds: number): void;
  /** Businesses whose latest generation is not published. */
  pending(count: number): void;
}

/** Seconds: an attempt takes one at most. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** @param monotonicNow milliseconds */
export function createPropagationMetrics(
  registry: Registry,
  monotonicNow: () => number = () => performance.now(),
): PropagationMetrics {
  const registers = [registry];
  const attempts = new Histogram({
    name: 'identity_propagation_seconds',
    help: 'Duration of attempts to publish a credential generation in Redis, by result.',
    labelNames: ['result'],
    buckets,
    registers,
  });
  const pending = new Gauge({
    name: 'identity_propagation_pending',
    help: 'Businesses whose latest credential generation has not reached Redis yet.',
    registers,
  });
  let pendingSince: number | undefined;
  new Gauge({
    name: 'identity_propagation_delay_seconds',
    help: 'Seconds for which credential generations have been pending; 0 when none is.',
    registers,
    collect() {
      this.set(pendingSince === undefined ? 0 : (monotonicNow() - pendingSince) / 1000);
    },
  });
  return {
    attempted: (result, seconds) => attempts.observe({ result }, seconds),
    pending: (count) => {
      pending.set(count);
      pendingSince = count === 0 ? undefined : (pendingSince ?? monotonicNow());
    },
  };
}
