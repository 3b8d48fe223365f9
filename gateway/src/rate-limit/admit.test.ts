import {
  bucketMs,
  countRequests,
  createRollingHour,
  hourMs,
} from '@platform/service-kit/values/rolling-hour.ts';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { useRedis } from '../../../tests/harness/unit-redis.ts';
import { onTestClock, setTestClock } from '../../testing/on-test-clock.ts';
import { scriptSources } from './redis-rolling-hour.ts';

const admitScript = onTestClock(scriptSources.admit);

const settleScript = onTestClock(scriptSources.settle);

const start = 1_750_000_000_000;

let redis: Redis;

let keys: [string, string];

let credentials = 0;

useRedis((opened) => {
  redis = opened;
});

beforeEach(newCredential);

function newCredential(): void {
  credentials++;
  keys = [`gen:{${credentials}}`, `requests:{${credentials}}:key`];
}

interface AdmitInput {
  readonly at?: number;
  readonly generation?: number;
  readonly epoch?: string;
  readonly validUntil?: number;
  readonly limit?: number;
  readonly requested?: number;
}

const never = Number.POSITIVE_INFINITY;

/** Verdict, epoch, admitted, used, resetMs, retryMs: for the only gateway, which has settled and counted nothing. */
async function admit(input: AdmitInput): Promise<unknown[]> {
  const { at = start, generation = 1, epoch = '', validUntil = never, limit = 10, requested = 1 } = input;
  await setTestClock(redis, at);
  const args = [generation, epoch, validUntil, limit, requested, 'new-epoch', -1, 0, 1, ''];
  for (;;) {
    const reply = list(await redis.eval(admitScript, 2, ...keys, never, 'g1', ...args));
    const [verdict, , ...rest] = reply;
    if (verdict !== 2) return [verdict, ...rest.slice(0, 5)];
    await redis.eval(settleScript, 1, keys[1], never, 'g1', 0, 0, limit, 0, 0, 'g1,', -1);
  }
}

const list = (reply: unknown): unknown[] => (Array.isArray(reply) ? reply : [reply]);

test('a command that runs after its deadline counts nothing', async () => {
  await admit({});
  await setTestClock(redis, start + 101);
  const before = await redis.hgetall(keys[1]);
  for (const script of [admitScript, settleScript])
    expect(
      await redis.eval(script, 2, ...keys, start + 100, 'g1', 1, '', never, 10, 1, '', 0, 0, 1, ''),
    ).toEqual([3, start + 101, 0, 0]);
  expect(await redis.hgetall(keys[1])).toEqual(before);
});

const gaps = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 3 * bucketMs }),
  fc.constantFrom(
    bucketMs,
    hourMs - 1,
    hourMs,
    hourMs + 1,
    61 * bucketMs,
    122 * bucketMs,
    -1,
    -bucketMs,
    -hourMs,
    25 * hourMs,
    -24 * hourMs,
  ),
);

const steps = fc.array(fc.tuple(gaps, fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 60 })), {
  minLength: 1,
  maxLength: 60,
});

test('the script and the in-process rule decide every trace alike, even when the clock goes back', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (trace) => {
      newCredential();
      const hour = createRollingHour(start + (trace[0]?.[0] ?? 0));
      let at = start;
      for (const [gap, requested, limit] of trace) {
        at += gap;
        const { admitted, used, resetMs, retryMs } = countRequests(hour, at, limit, requested);
        const [, , ...counted] = await admit({ at, requested, limit });
        expect(counted).toEqual([admitted, used, resetMs, retryMs]);
      }
    }),
    { numRuns: 150 },
  );
}, 900_000);

test('a counter takes constant memory and expires', async () => {
  for (let minute = 0; minute < 500; minute++)
    await admit({ at: start + minute * bucketMs, limit: 1_000_000 });
  expect(await redis.hlen(keys[1])).toBeLessThanOrEqual(63);
  expect(await redis.pttl(keys[1])).toBeGreaterThan(hourMs);
  expect(await redis.pttl(keys[1])).toBeLessThanOrEqual(62 * bucketMs);
});

test('a counter that is ahead of the clock expires after its requests have left the hour', async () => {
  await admit({ at: start + hourMs });
  // Another limit is a change: it sets the expiry anew. So is what a gateway settles.
  await admit({ at: start, limit: 11 });
  expect(await redis.pttl(keys[1])).toBeGreaterThan(2 * hourMs);
  await redis.eval(settleScript, 1, keys[1], never, 'g1', 2, 2, 11, 0, 0, 'g1,', -1);
  expect(await redis.pttl(keys[1])).toBeGreaterThan(2 * hourMs);
});

test('a fresh authorization is valid, and creates a missing epoch', async () => {
  expect((await admit({ generation: 7 })).slice(0, 2)).toEqual([1, 'new-epoch']);
  expect(await redis.hgetall(keys[0])).toEqual({ g: '7', i: 'new-epoch' });
});

test('a fresh authorization raises the generation and never lowers it', async () => {
  await redis.hset(keys[0], { g: 5, i: 'a' });
  expect((await admit({ generation: 6 })).slice(0, 2)).toEqual([1, 'a']);
  expect(await redis.hget(keys[0], 'g')).toBe('6');
  expect(await admit({ generation: 5 })).toEqual([0, 'a']);
  expect(await redis.hget(keys[0], 'g')).toBe('6');
});

test('a cached authorization is valid only in its own generation and epoch, until it expires', async () => {
  await redis.hset(keys[0], { g: 5, i: 'a' });
  const cached = { generation: 5, epoch: 'a', validUntil: start + 1 };
  expect((await admit(cached))[0]).toBe(1);
  expect((await admit({ ...cached, generation: 4 }))[0]).toBe(0);
  expect((await admit({ ...cached, generation: 6 }))[0]).toBe(0);
  expect((await admit({ ...cached, epoch: 'b' }))[0]).toBe(0);
  expect((await admit({ ...cached, at: start + 1 }))[0]).toBe(0);
});

test('without an entry a cached authorization is stale, and nothing is created', async () => {
  expect(await admit({ epoch: 'a' })).toEqual([0, '']);
  expect(await redis.exists(...keys)).toBe(0);
});

test('a stale request is not counted', async () => {
  await redis.hset(keys[0], { g: 5, i: 'a' });
  await admit({ generation: 4, epoch: 'a' });
  expect(await redis.exists(keys[1])).toBe(0);
});
