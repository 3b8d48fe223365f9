import fc from 'fast-check';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../../../tests/harness/redis.ts';
import { beginRun, type Run } from '../../../tests/harness/run.ts';
import { onTestClock, setTestClock } from './on-test-clock.ts';
import { scriptSources } from './redis-ring.ts';
import { bucketMs, countRequests, createRollingHour, hourMs } from './rolling-hour.ts';

const admitScript = onTestClock(scriptSources.admit);

const settleScript = onTestClock(scriptSources.settle);

const start = 1_750_000_000_000;

let run: Run;

let server: TestRedis;

let redis: Redis;

let keys: [string, string];

let callers = 0;

beforeAll(async () => {
  run = await beginRun();
  server = await startRedis();
  redis = new Redis(server.url);
});

afterAll(async () => {
  await redis.quit();
  await server.close();
  await run.end();
});

beforeEach(newCaller);

function newCaller(): void {
  callers++;
  keys = [`gen:{${callers}}`, `requests:{${callers}}:key`];
}

interface Ask {
  readonly at?: number;
  readonly generation?: number;
  readonly incarnation?: string;
  readonly validUntil?: number;
  readonly limit?: number;
  readonly wanted?: number;
}

const never = Number.POSITIVE_INFINITY;

/** Verdict, incarnation, admitted, used, resetMs, retryMs: to the only gateway, which has handed in that it knows nothing. */
async function admit(ask: Ask): Promise<unknown[]> {
  const { at = start, generation = 1, incarnation = '', validUntil = never, limit = 10, wanted = 1 } = ask;
  await setTestClock(redis, at);
  const args = [generation, incarnation, validUntil, limit, wanted, 'named-by-caller', 0, 0, 1, ''];
  for (;;) {
    const reply = list(await redis.eval(admitScript, 2, ...keys, never, 'g1', ...args));
    const [verdict, , ...rest] = reply;
    if (verdict !== 2) return [verdict, ...rest.slice(0, 5)];
    await redis.eval(settleScript, 1, keys[1], never, 'g1', 0, 0, limit, 0, 0, 'g1,');
  }
}

const list = (reply: unknown): unknown[] => (Array.isArray(reply) ? reply : [reply]);

test('a command that comes too late counts nothing', async () => {
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
  ),
);

const steps = fc.array(fc.tuple(gaps, fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 60 })), {
  minLength: 1,
  maxLength: 60,
});

test('the script and the in-process rule decide every trace alike, also on a clock that goes back', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (trace) => {
      newCaller();
      const hour = createRollingHour(start + (trace[0]?.[0] ?? 0));
      let at = start;
      for (const [gap, wanted, limit] of trace) {
        at += gap;
        const { admitted, used, resetMs, retryMs } = countRequests(hour, at, limit, wanted);
        const [, , ...counted] = await admit({ at, wanted, limit });
        expect(counted).toEqual([admitted, used, resetMs, retryMs]);
      }
    }),
    { numRuns: 150 },
  );
}, 60_000);

test('a ring takes constant memory and is forgotten when it is over', async () => {
  for (let minute = 0; minute < 500; minute++)
    await admit({ at: start + minute * bucketMs, limit: 1_000_000 });
  expect(await redis.hlen(keys[1])).toBeLessThanOrEqual(63);
  expect(await redis.pttl(keys[1])).toBeGreaterThan(hourMs);
  expect(await redis.pttl(keys[1])).toBeLessThanOrEqual(62 * bucketMs);
});

test('an answer asked for now is believed, and gives an empty memory a name', async () => {
  expect((await admit({ generation: 7 })).slice(0, 2)).toEqual([1, 'named-by-caller']);
  expect(await redis.hgetall(keys[0])).toEqual({ g: '7', i: 'named-by-caller' });
});

test('an answer asked for now raises the generation and never lowers it', async () => {
  await redis.hset(keys[0], { g: 5, i: 'a' });
  expect((await admit({ generation: 6 })).slice(0, 2)).toEqual([1, 'a']);
  expect(await redis.hget(keys[0], 'g')).toBe('6');
  expect(await admit({ generation: 5 })).toEqual([0, 'a']);
  expect(await redis.hget(keys[0], 'g')).toBe('6');
});

test('a kept answer holds in its own generation and incarnation only, and before its end', async () => {
  await redis.hset(keys[0], { g: 5, i: 'a' });
  const kept = { generation: 5, incarnation: 'a', validUntil: start + 1 };
  expect((await admit(kept))[0]).toBe(1);
  expect((await admit({ ...kept, generation: 4 }))[0]).toBe(0);
  expect((await admit({ ...kept, generation: 6 }))[0]).toBe(0);
  expect((await admit({ ...kept, incarnation: 'b' }))[0]).toBe(0);
  expect((await admit({ ...kept, at: start + 1 }))[0]).toBe(0);
});

test('a kept answer means nothing to an empty memory, and leaves it empty', async () => {
  expect(await admit({ incarnation: 'a' })).toEqual([0, '']);
  expect(await redis.exists(...keys)).toBe(0);
});

test('what is stale is not counted', async () => {
  await redis.hset(keys[0], { g: 5, i: 'a' });
  await admit({ generation: 4, incarnation: 'a' });
  expect(await redis.exists(keys[1])).toBe(0);
});
