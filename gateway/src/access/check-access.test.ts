import { allowedWith } from '../../testing/sample-authorization.ts';
import type { CacheableResult } from './authorization-result.ts';
import { createAuthorizer, createSequence } from './authorizer.ts';
import type { AdmissionResult } from './batcher.ts';
import { type AccessCheck, createAccessCheck, createRecheck } from './check-access.ts';
import { createRedisEpochs, type KnownEpoch } from './redis-epochs.ts';

/** Redis as seen by the access check, with a generation and an epoch that the test sets. */
interface RedisState {
  generation: number;
  epoch: string | undefined;
  isUp: boolean;
  /** It is reachable again as soon as a request waits for it. */
  isPausing: boolean;
}

const query = { bearer: 'sk_x', clientIp: '1.1.1.1', requiredScope: '', requestId: 'r', startedAt: 0 };

/** An access check over a database generation and a Redis that the test may change between requests. */
function setUp(hasRedis = true) {
  const database = { generation: 1, outcome: 'allowed' as 'allowed' | 'invalid' | 'unavailable', fetches: 0 };
  const redis: RedisState = { generation: 0, epoch: undefined, isUp: true, isPausing: false };
  const locallyCounted: CacheableResult[] = [];
  const sequence = createSequence();
  const epochs = createRedisEpochs(sequence, 10);
  const counted = { kind: 'counted', admitted: true, used: 1, resetMs: 0, retryMs: 0 } as const;

  async function redisLimiter(
    authorization: CacheableResult,
    epoch: KnownEpoch | undefined,
  ): Promise<AdmissionResult> {
    if (!redis.isUp) return { kind: 'unavailable' };
    if (epoch === undefined) {
      redis.epoch ??= `made-${sequence()}`;
      redis.generation = Math.max(redis.generation, authorization.generation);
    }
    const holds =
      redis.generation === authorization.generation && [undefined, redis.epoch].includes(epoch?.name);
    if (!holds) return { kind: 'stale', epoch: redis.epoch };
    return { ...counted, epoch: redis.epoch };
  }

  const checkAccess = createAccessCheck({
    authorizer: createAuthorizer({
      hasValidTag: () => true,
      fetchAuthorization: async (_query, requestedAt) => {
        database.fetches++;
        return database.outcome === 'allowed'
          ? allowed(database.generation, requestedAt)
          : { outcome: database.outcome };
      },
      sequence,
      monotonicNow: () => 0,
      budgetMs: 1_000,
      cacheSize: 10,
    }),
    sequence,
    epochs,
    redisLimiter: hasRedis ? redisLimiter : undefined,
    localLimiter: async (authorization) => {
      locallyCounted.push(authorization);
      return { ...counted, epoch: undefined };
    },
    untilRedis: async () => {
      redis.isUp ||= redis.isPausing;
      return redis.isUp;
    },
  });
  /** Fetches caused by one request, and its decision. */
  const request = async () => {
    const before = database.fetches;
    const { kind } = await checkAccess(query);
    return { kind, fetches: database.fetches - before };
  };
  return { database, redis, locallyCounted, epochs, checkAccess, request };
}

const allowed = (generation: number, requestedAt: number) => allowedWith({ generation, requestedAt });

/** After two requests the gateway knows the epoch and has cached a result fetched later. */
async function warmedUp() {
  const all = setUp();
  await all.request();
  await all.request();
  return all;
}

const fromCache = { kind: 'admitted', fetches: 0 };

const fetchedOnce = { kind: 'admitted', fetches: 1 };

const unauthenticated = { kind: 'unauthenticated', fetches: 1 };

test('a warm gateway makes no call', async () => {
  const { request } = await warmedUp();
  expect(await request()).toEqual(fromCache);
});

test('a result fetched before the epoch was known is fetched once more', async () => {
  const { request } = setUp();
  expect([await request(), await request(), await request()]).toEqual([fetchedOnce, fetchedOnce, fromCache]);
});

test('a raised generation invalidates cached results', async () => {
  const { request, redis, database } = await warmedUp();
  redis.generation = database.generation = 2;
  expect([await request(), await request()]).toEqual([fetchedOnce, fromCache]);
  redis.generation = 3;
  database.outcome = 'invalid';
  expect(await request()).toEqual(unauthenticated);
});

test('a flushed Redis confirms no earlier result', async () => {
  const { request, redis, database } = await warmedUp();
  database.outcome = 'invalid';
  redis.epoch = undefined;
  redis.generation = 0;
  expect(await request()).toEqual(unauthenticated);
});

test('a flushed Redis that was seeded with an old generation confirms no earlier result', async () => {
  const { request, redis, database } = await warmedUp();
  database.outcome = 'invalid';
  redis.epoch = 'seeded by a slow request of another gateway';
  redis.generation = 1;
  expect(await request()).toEqual(unauthenticated);
});

test('a Redis that was unreachable confirms no earlier result, even if its data look unchanged', async () => {
  const { request, epochs, database } = await warmedUp();
  database.outcome = 'invalid';
  epochs.clear();
  expect(await request()).toEqual(unauthenticated);
});

test('without Redis every request fetches, and is counted in this process', async () => {
  const { request, redis, locallyCounted } = await warmedUp();
  redis.isUp = false;
  expect([await request(), await request()]).toEqual([fetchedOnce, fetchedOnce]);
  expect(locallyCounted).toHaveLength(2);
});

test('every request fetches when no Redis is configured', async () => {
  const { request, locallyCounted } = setUp(false);
  expect([await request(), await request()]).toEqual([fetchedOnce, fetchedOnce]);
  expect(locallyCounted).toHaveLength(2);
});

test('when Redis comes back the first request fetches once more, then the gateway is warm', async () => {
  const { request, redis, epochs } = await warmedUp();
  redis.isUp = false;
  await request();
  epochs.clear();
  redis.isUp = true;
  expect([await request(), await request(), await request()]).toEqual([fetchedOnce, fetchedOnce, fromCache]);
});

test('without identity-service and Redis the decision is unavailable', async () => {
  const { request, redis, database } = await warmedUp();
  redis.isUp = false;
  database.outcome = 'unavailable';
  expect(await request()).toEqual({ kind: 'unavailable', fetches: 1 });
});

test('without identity-service a request waits for a Redis that pauses, which then confirms as before', async () => {
  const { request, redis, database } = await warmedUp();
  Object.assign(redis, { isUp: false, isPausing: true });
  database.outcome = 'unavailable';
  expect(await request()).toEqual({ kind: 'admitted', fetches: 1 });
  Object.assign(redis, { isUp: false });
  database.generation = ++redis.generation;
  expect(await request()).toEqual({ kind: 'unavailable', fetches: 2 });
});

test('without identity-service a confirmed result is still used', async () => {
  const { request, database } = await warmedUp();
  database.outcome = 'unavailable';
  expect(await request()).toEqual(fromCache);
});

test('a request stops fetching when the generation never settles', async () => {
  const { request, redis } = setUp();
  redis.epoch = 'i';
  redis.generation = Number.POSITIVE_INFINITY;
  expect(await request()).toEqual({ kind: 'unavailable', fetches: 4 + 1 });
});

describe('a check of a request in progress', () => {
  type Decision = Awaited<ReturnType<AccessCheck>>;

  /** Results of checks on a gateway at 2,000, of a request that was admitted until 1,000 or later. */
  function checkAt2000(decisions: Decision[], validUntil = 1_000) {
    const recheck = createRecheck({
      peekAccess: async () => decisions.shift() ?? { kind: 'unavailable' },
      now: () => 2_000,
      monotonicNow: () => 0,
    });
    return recheck(query, allowedWith({ validUntil }));
  }

  const rateLimit = { limit: 1, used: 0, resetMs: 0, retryMs: 0 };
  const admittedUntil = (validUntil: number): Decision => ({
    kind: 'admitted',
    authorization: allowedWith({ validUntil }),
    rateLimit,
  });

  test('that nothing can confirm is allowed until the result that admitted the request expires', async () => {
    expect(await checkAt2000([])()).toEqual({ outcome: 'unavailable' });
    expect(await checkAt2000([], 3_000)()).toBeUndefined();
  });

  test('is decided as a new request, whatever the clock of the gateway says', async () => {
    const check = checkAt2000([admittedUntil(1_000)]);
    expect(await check()).toBeUndefined();
    expect(await check()).toEqual({ outcome: 'unavailable' });
    const expired = { outcome: 'expired' } as const;
    const unauthenticated = { kind: 'unauthenticated', authorization: expired } as const;
    expect(await checkAt2000([unauthenticated], 3_000)()).toEqual(expired);
    const frozen = { ...allowedWith({ validUntil: 3_000 }), outcome: 'frozen' } as const;
    expect(await checkAt2000([{ kind: 'denied', authorization: frozen, rateLimit }], 3_000)()).toBe(frozen);
  });

  test('prolongs what holds while nothing can confirm it', async () => {
    const check = checkAt2000([admittedUntil(3_000)]);
    expect(await check()).toBeUndefined();
    expect(await check()).toBeUndefined();
  });

  /** A check over Redis and identity-service, of a request that a warm gateway has admitted until 1,000; it is 500 now. */
  async function checkOver() {
    const all = await warmedUp();
    const deps = { peekAccess: all.checkAccess, now: () => 500, monotonicNow: () => 0 };
    return { ...all, check: createRecheck(deps)(query, allowedWith({ validUntil: 1_000 })) };
  }

  const ended = { outcome: 'invalid' };

  test('asks Redis alone while that confirms the cached result, also without identity-service', async () => {
    const { check, database } = await checkOver();
    const before = database.fetches;
    for (const outcome of ['allowed', 'unavailable', 'invalid'] as const) {
      database.outcome = outcome;
      expect(await check()).toBeUndefined();
    }
    expect(database.fetches).toBe(before);
  });

  test('asks identity-service after a change, and ends the request where the credential is revoked', async () => {
    const { check, database, redis } = await checkOver();
    database.generation = ++redis.generation;
    expect(await check()).toBeUndefined();
    database.outcome = 'invalid';
    redis.generation++;
    expect(await check()).toEqual(ended);
  });

  test('asks identity-service while Redis is down, and ends the request where the credential is revoked', async () => {
    const { check, database, redis } = await checkOver();
    redis.isUp = false;
    expect(await check()).toBeUndefined();
    database.outcome = 'invalid';
    expect(await check()).toEqual(ended);
  });

  test.each<[string, Partial<RedisState>]>([
    ['Redis', { isUp: false }],
    ['a change that Redis has', { generation: 2 }],
  ])('ends nothing for want of identity-service, also without %s, until that says so', async (_, lost) => {
    const { check, database, redis } = await checkOver();
    Object.assign(redis, lost);
    database.outcome = 'unavailable';
    expect(await check()).toBeUndefined();
    database.outcome = 'invalid';
    expect(await check()).toEqual(ended);
  });
});
