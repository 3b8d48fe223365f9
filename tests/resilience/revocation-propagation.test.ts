import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { TestKey } from '../harness/api-keys.ts';
import { connectCanaryKeys } from '../harness/canary-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { request } from '../harness/http-request.ts';
import { knownBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';
import { metricOf } from '../harness/metrics.ts';
import type { TestRedis } from '../harness/redis.ts';
import { running } from '../harness/running.ts';

/** Credential generations: raised in PostgreSQL with the change, then in Redis before the response. */

const platform = running(() => startIdentityPlatform({ replicas: 2 }));
let redis: TestRedis;
beforeAll(async () => {
  if (platform.redis === undefined) throw new Error('this test needs Redis');
  redis = platform.redis;
});

/** identity-service looks for what others have left pending every five seconds. */
const soon = { withinMs: 15_000 };
const hash = `gen:{${knownBusiness}}`;
const inRedis = async () => Number(await redis.command('HGET', hash, 'g'));
const incarnation = () => redis.command('HGET', hash, 'i');
const inPostgres = async () => {
  const [row] = await platform.sql<{ generation: string }>(
    'SELECT generation FROM credential_generations WHERE business_id = $1',
    [knownBusiness],
  );
  return Number(row?.generation);
};
const healed = () => expectEventually(async () => expect(await inRedis()).toBe(await inPostgres()), soon);
const restrictedKey = () => platform.createKey({ type: 'restricted', scopes: ['orders:read'] });

/** Every change that is published to gateways. */
const changes: readonly [string, (key: TestKey) => Promise<string>][] = [
  ['a rotation', async (key) => (await platform.rotateKey(key)).propagation],
  ['a deletion', (key) => platform.deleteKey(key)],
  ['a change of scopes', (key) => platform.updateKey(key, { scopes: ['business:read'] })],
  ['scopes named as they are', (key) => platform.updateKey(key, { scopes: ['orders:read'] })],
  ['a change of addresses', (key) => platform.updateKey(key, { ipWhitelist: ['192.0.2.1'] })],
  ['a freeze', (key) => platform.freezeKey(key)],
  ['a change of the limit', (key) => platform.setKeyLimit(key, 5)],
];

/**
 * Changes a new key, and has the change confirmed; another one where Redis needs longer than the second that it has, on a busy
 * machine. @returns the generation before
 */
const confirmed = (change: (key: TestKey) => Promise<string>) =>
  expectEventually(
    async () => {
      const key = await restrictedKey();
      const before = await inPostgres();
      expect(await change(key)).toBe('confirmed');
      return before;
    },
    { withinMs: 5_000 },
  );

describe('with Redis', () => {
  test.each(changes)('%s has raised the generation in Redis when it is confirmed', async (_, change) => {
    const before = await confirmed(change);
    expect(await inRedis()).toBe(before + 1);
    expect(await inPostgres()).toBe(before + 1);
  });

  test('a new name does not raise the generation', async () => {
    const before = await confirmed((key) => platform.updateKey(key, { name: 'New' }));
    expect(await inPostgres()).toBe(before);
  });

  test('Authorize returns the generation in Redis', async () => {
    const key = await restrictedKey();
    const rotated = await platform.rotateKey(key);
    expect((await platform.authorize(rotated.keyString)).generation).toBe(await inRedis());
  });

  test('a higher generation in Redis is not lowered', async () => {
    const key = await restrictedKey();
    await platform.setKeyLimit(key, 6);
    const higher = (await inPostgres()) + 1_000;
    await redis.command('HSET', hash, 'g', String(higher));
    await confirmed((next) => platform.setKeyLimit(next, 7));
    expect(await inRedis()).toBe(higher);
    await redis.flush();
  });

  test('a lost hash in Redis is created again with another epoch', async () => {
    const key = await restrictedKey();
    await platform.setKeyLimit(key, 6);
    const before = await incarnation();
    await platform.setKeyLimit(key, 7);
    expect(await incarnation()).toBe(before);
    await redis.flush();
    await platform.setKeyLimit(key, 8);
    expect(await inRedis()).toBe(await inPostgres());
    expect(await incarnation()).not.toBe(before);
  });

  test('many changes of one business at once lose no generation', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, restrictedKey));
    const before = await expectEventually(
      async () => {
        const generation = await inPostgres();
        const responses = await Promise.all(keys.map((key) => platform.setKeyLimit(key, 9)));
        expect(new Set(responses)).toEqual(new Set(['confirmed']));
        return generation;
      },
      { withinMs: 5_000 },
    );
    expect(await inPostgres()).toBe(before + 10);
    expect(await inRedis()).toBe(before + 10);
  });
});

describe('while Redis is lost', () => {
  const pendingMetric = () => metricOf(platform.replicas[0], 'identity_propagation_pending');
  const delayMetric = () => metricOf(platform.replicas[0], 'identity_propagation_delay_seconds');

  test.each([
    ['frozen', async () => redis.freeze(), async () => redis.thaw()],
    ['stopped', () => redis.stop(), () => redis.start()],
  ])('(%s) a change is committed, reported as pending, and published later', async (_, lose, mend) => {
    const key = await restrictedKey();
    await lose();
    const rotated = await platform.rotateKey(key);
    expect(rotated.propagation).toBe('pending');
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_INVALID');
    expect((await platform.authorize(rotated.keyString)).outcome).toBe('OUTCOME_ALLOWED');
    await expectEventually(async () => expect(await pendingMetric()).toBe(1), soon);
    const delay = (await delayMetric()) ?? 0;
    expect(await delayMetric()).toBeGreaterThan(delay);
    await mend();
    await healed();
    await expectEventually(async () => expect(await pendingMetric()).toBe(0), soon);
    expect(await delayMetric()).toBe(0);
    // The other replica connects again at a moment of its own.
    await expectEventually(
      async () => expect(await platform.deleteKey(await restrictedKey())).toBe('confirmed'),
      { withinMs: 5_000 },
    );
  });

  test('a replica that starts without it is ready and serves; its changes are published later', async () => {
    await redis.stop();
    const replica = await platform.addReplica({});
    const readiness = async () => {
      const { status, text } = await request(replica.ports.ops ?? 0, 'GET', '/readyz');
      return { status, checks: JSON.parse(text).checks };
    };
    expect(await readiness()).toEqual({ status: 200, checks: { postgres: 'ok', redis: 'failed' } });
    const itself = connectCanaryKeys(`ipv4:127.0.0.1:${replica.ports.grpc}`, knownBusiness);
    const key = await itself.takeKey('late');
    expect((await itself.takeKey('late')).propagation).toBe('pending');
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_INVALID');
    await redis.start();
    await healed();
    await expectEventually(async () => expect((await readiness()).checks.redis).toBe('ok'), soon);
    itself.disconnect();
    await replica.stop();
  });

  test('a replica starts even while all Sentinels are down', async () => {
    const replica = await platform.addReplica({ REDIS_URL: 'redis+sentinel://127.0.0.1:1/main' });
    expect((await request(replica.ports.ops ?? 0, 'GET', '/readyz')).status).toBe(200);
    await replica.stop();
  });

  test('a replica that started exits when the log in Redis proves that the database is older', async () => {
    const position = '{revocations}:position';
    await redis.command('HSET', position, 'last', '999999', 'lastEvent', '999999 1');
    await redis.save();
    await redis.stop();
    const replica = await platform.addReplica({});
    expect((await platform.authorize((await platform.createKey()).keyString)).outcome).toBe(
      'OUTCOME_ALLOWED',
    );
    expect(replica.isRunning()).toBe(true);
    await redis.start();
    expect(await replica.exited).toMatchObject({ code: 1 });
    await redis.command('DEL', position);
    await redis.save();
  });
});

test('a Redis that restarts with older data gets the generations again', async () => {
  const key = await restrictedKey();
  await platform.setKeyLimit(key, 6);
  await redis.command('SAVE');
  await platform.setKeyLimit(key, 7);
  await redis.stop();
  await redis.start();
  await healed();
});

/** Scripts that save the log of revocations with the marks of its writers, and put them back; the position stays. */
const save = `for _, key in ipairs(redis.call('KEYS', '{revocations}:[em]*')) do redis.call('COPY', key, 'saved ' .. key) end`;
const fallBack = `
  for _, key in ipairs(redis.call('KEYS', '{revocations}:[em]*')) do redis.call('DEL', key) end
  for _, key in ipairs(redis.call('KEYS', 'saved *')) do redis.call('RENAME', key, string.sub(key, 7)) end`;

/** Of each process, the number of pages that it has added. */
const marks = async () => {
  const keys = z.array(z.string()).parse(await redis.command('KEYS', '{revocations}:mark:*'));
  const values = z.array(z.coerce.number()).parse(await redis.command('MGET', ...keys));
  return new Map(keys.map((key, index) => [key, values[index] ?? 0]));
};

test('a log of revocations in Redis that fell back to older events gets the latest events again', async () => {
  const keys = await Promise.all([restrictedKey(), restrictedKey()]);
  await redis.command('EVAL', save, '0');
  for (const key of keys) await platform.deleteKey(key);
  const logged = async () => {
    const members = z
      .array(z.string())
      .parse(await redis.command('ZRANGE', '{revocations}:events', '0', '-1'));
    return members.filter((member) => keys.some(({ id }) => member.includes(id)));
  };
  await expectEventually(async () => expect(await logged()).toHaveLength(2), soon);
  // Each of the two replicas has read them two of its rounds later.
  const before = await marks();
  const advanced = async () =>
    [...(await marks())].filter(([key, mark]) => mark >= (before.get(key) ?? mark) + 2).length;
  await expectEventually(async () => expect(await advanced()).toBe(2), soon);
  const latest = await logged();
  await redis.command('EVAL', fallBack, '0');
  await expectEventually(async () => expect(await logged()).toEqual(latest), soon);
});

describe('a replica that is killed', () => {
  test('during a change has made it with its generation, or not at all', async () => {
    const [victim] = platform.replicas.map(({ ports }) => `ipv4:127.0.0.1:${ports.grpc}`);
    const itself = connectCanaryKeys(victim ?? '', knownBusiness);
    const key = await itself.takeKey('killed');
    const before = await inPostgres();
    const held = await holdTable(platform.database, 'credential_generations', 'writes');
    const rotation = itself.takeKey('killed').catch((error: unknown) => error);
    await held.untilWaiting(1);
    expect((await platform.getKey(key)).rotatedAt).toBeUndefined();
    await platform.replicas[0]?.kill();
    await held.release();
    expect(await rotation).toBeInstanceOf(Error);
    expect([(await platform.authorize(key.keyString)).outcome, await inPostgres()]).toEqual([
      'OUTCOME_ALLOWED',
      before,
    ]);
    itself.disconnect();
    await platform.replicas[0]?.start();
  });

  test('between the commit and Redis leaves a row that any other replica publishes', async () => {
    // The state in PostgreSQL at that moment; the process that made it has ended.
    await platform.sql(
      'UPDATE credential_generations SET generation = generation + 1 WHERE business_id = $1',
      [knownBusiness],
    );
    await healed();
  });
});

test('every change is confirmed without Redis, since gateways call identity-service for each request', async () => {
  const alone = await startIdentityPlatform({ redis: false });
  const key = await alone.createKey();
  expect(await alone.deleteKey(key)).toBe('confirmed');
  await alone.close();
});
