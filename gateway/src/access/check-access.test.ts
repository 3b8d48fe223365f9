import type { Allowed, Kept } from './authorization-result.ts';
import { createAuthorizer, createSequence } from './authorizer.ts';
import type { Verdict } from './batcher.ts';
import { createGatekeeper, createKnownIncarnations } from './check-access.ts';

/** Redis as the gatekeeper sees it: a generation and an incarnation that the test sets. */
interface Memory {
  generation: number;
  incarnation: string | undefined;
  isUp: boolean;
  /** It is back as soon as it is waited for. */
  isPausing: boolean;
}

const question = { bearer: 'sk_x', clientIp: '1.1.1.1', requiredScope: '', requestId: 'r', beganAt: 0 };

/** A gatekeeper over a database generation and a memory that the test may change between requests. */
function setUp(hasRedis = true) {
  const database = { generation: 1, outcome: 'allowed' as 'allowed' | 'invalid' | 'unavailable', asks: 0 };
  const memory: Memory = { generation: 0, incarnation: undefined, isUp: true, isPausing: false };
  const standIns: Kept[] = [];
  const sequence = createSequence();
  const known = createKnownIncarnations(sequence, 10);
  const counted = { kind: 'counted', admitted: true, used: 1, resetMs: 0, retryMs: 0 } as const;

  async function shared(answer: Kept, incarnation: string | undefined): Promise<Verdict> {
    if (!memory.isUp) return { kind: 'unavailable' };
    if (incarnation === undefined) {
      memory.incarnation ??= `made-${sequence()}`;
      memory.generation = Math.max(memory.generation, answer.generation);
    }
    const holds =
      memory.generation === answer.generation && [undefined, memory.incarnation].includes(incarnation);
    if (!holds) return { kind: 'stale', incarnation: memory.incarnation };
    return { ...counted, incarnation: memory.incarnation };
  }

  const gatekeeper = createGatekeeper({
    authorizer: createAuthorizer({
      mayBeIssued: () => true,
      ask: async (_question, askedAt) => {
        database.asks++;
        return database.outcome === 'allowed'
          ? answerOf(database.generation, askedAt)
          : { outcome: database.outcome };
      },
      sequence,
      monotonicNow: () => 0,
      budgetMs: 1_000,
      maxAnswers: 10,
    }),
    sequence,
    known,
    shared: hasRedis ? shared : undefined,
    standIn: async (answer) => {
      standIns.push(answer);
      return { ...counted, incarnation: undefined };
    },
    untilShared: async () => {
      memory.isUp ||= memory.isPausing;
      return memory.isUp;
    },
  });
  /** Asks caused by one request, and what became of it. */
  const request = async () => {
    const before = database.asks;
    const { kind } = await gatekeeper(question);
    return { kind, asks: database.asks - before };
  };
  return { database, memory, standIns, known, request };
}

function answerOf(generation: number, askedAt: number): Allowed {
  return {
    outcome: 'allowed',
    principal: {
      businessId: 1,
      credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
      credentialId: 'key_1',
      limitId: 'key_1',
      allowedOrigins: [],
    },
    limit: 10,
    generation,
    validUntil: 1e15,
    passport: 'p',
    askedAt,
  };
}

/** After two requests the gateway knows the memory's name, and keeps an answer that was asked for later. */
async function warmedUp() {
  const all = setUp();
  await all.request();
  await all.request();
  return all;
}

const recalled = { kind: 'admitted', asks: 0 };

const askedOnce = { kind: 'admitted', asks: 1 };

const refused = { kind: 'refused', asks: 1 };

test('a warm gateway asks nobody', async () => {
  const { request } = await warmedUp();
  expect(await request()).toEqual(recalled);
});

test('an answer from before the memory was known is asked for once more', async () => {
  const { request } = setUp();
  expect([await request(), await request(), await request()]).toEqual([askedOnce, askedOnce, recalled]);
});

test('a raised generation ends kept answers', async () => {
  const { request, memory, database } = await warmedUp();
  memory.generation = database.generation = 2;
  expect([await request(), await request()]).toEqual([askedOnce, recalled]);
  memory.generation = 3;
  database.outcome = 'invalid';
  expect(await request()).toEqual(refused);
});

test('a flushed memory vouches for nothing that was asked for before', async () => {
  const { request, memory, database } = await warmedUp();
  database.outcome = 'invalid';
  memory.incarnation = undefined;
  memory.generation = 0;
  expect(await request()).toEqual(refused);
});

test('a flushed memory that somebody seeded with an old generation vouches for nothing either', async () => {
  const { request, memory, database } = await warmedUp();
  database.outcome = 'invalid';
  memory.incarnation = 'seeded by a slow request of another gateway';
  memory.generation = 1;
  expect(await request()).toEqual(refused);
});

test('a memory that was out of sight vouches for nothing, even if it looks the same', async () => {
  const { request, known, database } = await warmedUp();
  database.outcome = 'invalid';
  known.forgetAll();
  expect(await request()).toEqual(refused);
});

test('without Redis every request asks, and is counted in this process', async () => {
  const { request, memory, standIns } = await warmedUp();
  memory.isUp = false;
  expect([await request(), await request()]).toEqual([askedOnce, askedOnce]);
  expect(standIns).toHaveLength(2);
});

test('where no Redis is configured every request asks', async () => {
  const { request, standIns } = setUp(false);
  expect([await request(), await request()]).toEqual([askedOnce, askedOnce]);
  expect(standIns).toHaveLength(2);
});

test('when Redis comes back the first request asks once more, then the gateway is warm', async () => {
  const { request, memory, known } = await warmedUp();
  memory.isUp = false;
  await request();
  known.forgetAll();
  memory.isUp = true;
  expect([await request(), await request(), await request()]).toEqual([askedOnce, askedOnce, recalled]);
});

test('nothing is known without identity-service and Redis', async () => {
  const { request, memory, database } = await warmedUp();
  memory.isUp = false;
  database.outcome = 'unavailable';
  expect(await request()).toEqual({ kind: 'unavailable', asks: 1 });
});

test('without identity-service a request waits while Redis pauses, which then vouches as before', async () => {
  const { request, memory, database } = await warmedUp();
  Object.assign(memory, { isUp: false, isPausing: true });
  database.outcome = 'unavailable';
  expect(await request()).toEqual({ kind: 'admitted', asks: 1 });
  Object.assign(memory, { isUp: false });
  database.generation = ++memory.generation;
  expect(await request()).toEqual({ kind: 'unavailable', asks: 2 });
});

test('without identity-service a vouched answer serves on', async () => {
  const { request, database } = await warmedUp();
  database.outcome = 'unavailable';
  expect(await request()).toEqual(recalled);
});

test('a generation that never settles is given up', async () => {
  const { request, memory } = setUp();
  memory.incarnation = 'i';
  memory.generation = Number.POSITIVE_INFINITY;
  expect(await request()).toEqual({ kind: 'unavailable', asks: 4 + 1 });
});
