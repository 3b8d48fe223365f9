import type { Redis } from 'ioredis';
import { useRedis } from '../../../tests/harness/unit-redis.ts';
import { allowedWith } from '../../testing/sample-authorization.ts';
import type { AuthorizationQuery, AuthorizationResult } from '../access/authorization-result.ts';
import { createAuthorizer, createSequence } from '../access/authorizer.ts';
import { createBatcher } from '../access/batcher.ts';
import { createAccessCheck } from '../access/check-access.ts';
import { createRedisEpochs } from '../access/redis-epochs.ts';
import { Limiters } from './limiters.ts';
import { createScripts } from './redis-rolling-hour.ts';

/** A request meets the return of Redis, with older data, between the choice of its epoch and its command. */

let redis: Redis;
useRedis((opened) => {
  redis = opened;
});

const query: AuthorizationQuery = {
  bearer: 'sk_x',
  clientIp: '192.0.2.1',
  requiredScope: '',
  requestId: 'r',
  startedAt: 0,
};

/** A gateway whose credential is in memory, confirmed by an epoch in Redis. */
async function warmGateway() {
  const credential = { isDeleted: false };
  /** `chosen`: a request has its epoch, and its command is not sent. */
  const events = { chosen: () => {} };
  const sequence = createSequence();
  const epochs = createRedisEpochs(sequence, 10);
  const limiters = new Limiters({
    id: 'g1',
    link: {
      redis,
      timeoutMs: 5_000,
      withTimeout: (commands) => commands,
      isUp: () => true,
      reportFailure: (error) => {
        throw error;
      },
    },
    scripts: createScripts(0),
    maxCredentials: 10,
    monotonicNow: () => performance.now(),
    wallNow: Date.now,
    pause: async () => {},
  });
  await limiters.probe();
  const fetchAuthorization = async (
    _: AuthorizationQuery,
    requestedAt: number,
  ): Promise<AuthorizationResult> =>
    credential.isDeleted ? { outcome: 'invalid' } : allowedWith({ requestedAt });
  const admit = createBatcher(limiters.redisLimiter);
  const checkAccess = createAccessCheck({
    authorizer: createAuthorizer({
      hasValidTag: () => true,
      fetchAuthorization,
      sequence,
      monotonicNow: () => 0,
      budgetMs: 1_000,
      cacheSize: 10,
    }),
    sequence,
    epochs,
    redisLimiter: (authorization, epoch) => {
      events.chosen();
      return admit(authorization, epoch);
    },
    localLimiter: createBatcher(limiters.localLimiter),
    untilRedis: async () => true,
  });
  // The first request finds the epoch, the second one fetches after it.
  for (const _ of [1, 2]) expect(await checkAccess(query)).toMatchObject({ kind: 'admitted' });
  return { credential, epochs, events, request: () => checkAccess(query) };
}

test('older data in Redis confirm no request that chose its epoch before the loss', async () => {
  const { credential, epochs, events, request } = await warmGateway();
  credential.isDeleted = true;
  // Redis has kept generation and epoch, as one that is back from a snapshot.
  expect(await request()).toMatchObject({ kind: 'admitted' });
  events.chosen = epochs.clear;
  expect(await request()).toMatchObject({ kind: 'unauthenticated' });
  expect(await redis.hget('gen:{1}', 'g')).toBe('1');
});
