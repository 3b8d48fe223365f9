import type { Allowed, Answer, Question } from './authorization-result.ts';
import { createAuthorizer, createSequence } from './authorizer.ts';

const question: Question = {
  bearer: 'sk_x',
  clientIp: '1.1.1.1',
  requiredScope: 'orders:read',
  requestId: 'r',
  beganAt: 0,
};

const forged = 'sk_forged';

const unavailable: Answer = { outcome: 'unavailable' };

function allowed(askedAt: number): Allowed {
  const principal = {
    businessId: 1,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'key_1',
    limitId: 'key_1',
    allowedOrigins: [],
  } as const;
  return {
    outcome: 'allowed',
    principal,
    limit: 10,
    generation: 1,
    validUntil: 1e15,
    passport: 'p',
    askedAt,
  };
}

/** An authorizer whose identity-service answers when the test says so. */
function setUp(maxAnswers = 10) {
  const asks: {
    readonly askedAt: number;
    readonly question: Question;
    answer(value?: Answer): Promise<void>;
  }[] = [];
  const clock = { now: 0 };
  const sequence = createSequence();
  const authorizer = createAuthorizer({
    ask: (asked, askedAt) => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      asks.push({
        askedAt,
        question: asked,
        answer: async (value = allowed(askedAt)) => {
          resolve(value);
          await new Promise(setImmediate);
        },
      });
      return promise;
    },
    mayBeIssued: (bearer) => bearer !== forged,
    sequence,
    monotonicNow: () => clock.now,
    budgetMs: 1_000,
    maxAnswers,
  });
  return { authorizer, asks, clock, sequence };
}

/** A set-up that keeps an answer already. */
async function warmedUp() {
  const all = setUp();
  const first = all.authorizer.recall(question, all.sequence());
  await all.asks[0]?.answer();
  return { ...all, kept: await first };
}

test('an answer is asked for once and then recalled', async () => {
  const { authorizer, asks, sequence, kept } = await warmedUp();
  expect(await authorizer.recall(question, sequence())).toBe(kept);
  expect(asks).toHaveLength(1);
});

test.each([
  ['another bearer', { ...question, bearer: 'sk_y' }],
  ['another address', { ...question, clientIp: '2.2.2.2' }],
  ['another scope', { ...question, requiredScope: 'orders:write' }],
])('%s is another question', async (_name, other) => {
  const { authorizer, asks, sequence } = await warmedUp();
  void authorizer.recall(other, sequence());
  expect(asks).toHaveLength(2);
});

test.each(['frozen', 'scope_denied', 'ip_denied'] as const)('%s is kept as well', async (outcome) => {
  const { authorizer, asks, sequence } = setUp();
  const denied: Answer = { ...allowed(1), outcome };
  const first = authorizer.recall(question, sequence());
  await asks[0]?.answer(denied);
  expect([await first, await authorizer.recall(question, sequence())]).toEqual([denied, denied]);
  expect(asks).toHaveLength(1);
});

test('expired is never kept', async () => {
  const { authorizer, asks, sequence } = setUp();
  const first = authorizer.recall(question, sequence());
  await asks[0]?.answer({ outcome: 'expired' });
  expect(await first).toEqual({ outcome: 'expired' });
  void authorizer.recall(question, sequence());
  expect(asks).toHaveLength(2);
});

test('an unknown bearer is asked about once in 10 s, whatever it asks for and from where', async () => {
  const { authorizer, asks, clock, sequence } = setUp();
  void authorizer.recall(question, sequence());
  await asks[0]?.answer({ outcome: 'invalid' });
  clock.now = 9_999;
  const other = { ...question, clientIp: '2.2.2.2', requiredScope: '' };
  expect(await authorizer.recall(question, sequence())).toEqual({ outcome: 'invalid' });
  expect(await authorizer.recall(other, sequence())).toEqual({ outcome: 'invalid' });
  void authorizer.recall({ ...question, bearer: 'sk_y' }, sequence());
  expect(asks).toHaveLength(2);
  clock.now = 10_000;
  void authorizer.recall(question, sequence());
  expect(asks).toHaveLength(3);
});

test.each([10, 0])('what nobody can have issued is not asked about (%i answers kept)', async (maxAnswers) => {
  const { authorizer, asks, sequence } = setUp(maxAnswers);
  expect(await authorizer.recall({ ...question, bearer: forged }, sequence())).toEqual({
    outcome: 'invalid',
  });
  expect(asks).toHaveLength(0);
});

test('requests that began before an ask share it', async () => {
  const { authorizer, asks, sequence } = setUp();
  const moments = [sequence(), sequence(), sequence()];
  const answers = Promise.all(moments.map((since) => authorizer.askAfter(question, since)));
  await asks[0]?.answer();
  expect(new Set(await answers).size).toBe(1);
  expect(asks).toHaveLength(1);
});

test('requests that begin while an ask runs wait for one later ask, together', async () => {
  const { authorizer, asks, sequence } = setUp();
  void authorizer.askAfter(question, sequence());
  const late = Promise.all([1, 2, 3].map(() => authorizer.askAfter(question, sequence())));
  await asks[0]?.answer();
  expect(asks).toHaveLength(2);
  await asks[1]?.answer();
  expect((await late).map((answer) => answer.outcome === 'allowed' && answer.askedAt)).toEqual(
    Array(3).fill(asks[1]?.askedAt),
  );
});

test('a request that began while an ask ran asks again when it fails, as long as it may wait', async () => {
  const { authorizer, asks, clock, sequence } = setUp();
  const first = authorizer.askAfter(question, sequence());
  clock.now = 900;
  const late = [1, 2].map(() => authorizer.askAfter({ ...question, beganAt: 900 }, sequence()));
  clock.now = 1_000;
  await asks[0]?.answer(unavailable);
  expect(await first).toEqual(unavailable);
  expect(asks).toHaveLength(2);
  await asks[1]?.answer();
  expect(await Promise.all(late)).toEqual([allowed(asks[1]?.askedAt ?? 0), allowed(asks[1]?.askedAt ?? 0)]);
});

test('one whose time is over does not ask', async () => {
  const { authorizer, asks, clock, sequence } = setUp();
  void authorizer.askAfter(question, sequence());
  const late = authorizer.askAfter(question, sequence());
  clock.now = 1_000;
  await asks[0]?.answer(unavailable);
  expect(await late).toEqual(unavailable);
  expect(asks).toHaveLength(1);
});

test('one that waited for an ask that was of no use waits for the next no longer than it may', async () => {
  const { authorizer, asks, clock, sequence } = setUp();
  void authorizer.askAfter(question, sequence());
  const late = authorizer.askAfter(question, sequence());
  clock.now = 995;
  await asks[0]?.answer();
  expect(asks).toHaveLength(2);
  expect(await late).toEqual(unavailable);
});

test('a kept answer is renewed in the background after 20 s, once', async () => {
  const { authorizer, asks, clock, sequence, kept } = await warmedUp();
  clock.now = 19_999;
  void authorizer.recall(question, sequence());
  expect(asks).toHaveLength(1);
  clock.now = 20_000;
  expect(await authorizer.recall(question, sequence())).toBe(kept);
  expect(await authorizer.recall(question, sequence())).toBe(kept);
  expect(asks).toHaveLength(2);
  await asks[1]?.answer();
  expect(await authorizer.recall(question, sequence())).not.toBe(kept);
});

test('a refusal that the renewal brings ends the kept answer', async () => {
  const { authorizer, asks, clock, sequence } = await warmedUp();
  clock.now = 20_000;
  void authorizer.recall(question, sequence());
  await asks[1]?.answer({ outcome: 'invalid' });
  expect(await authorizer.recall(question, sequence())).toEqual({ outcome: 'invalid' });
  expect(asks).toHaveLength(2);
});

test('after 30 s a kept answer waits for a new one', async () => {
  const { authorizer, asks, clock, sequence } = await warmedUp();
  clock.now = 30_000;
  const answer = authorizer.recall(question, sequence());
  await asks[1]?.answer({ outcome: 'invalid' });
  expect(await answer).toEqual({ outcome: 'invalid' });
});

test('while identity-service is gone a kept answer serves on, and one request a second tries again', async () => {
  const { authorizer, asks, clock, sequence, kept } = await warmedUp();
  clock.now = 30_000;
  const answer = authorizer.recall(question, sequence());
  await asks[1]?.answer(unavailable);
  expect(await answer).toBe(kept);
  clock.now = 30_999;
  expect(await authorizer.recall(question, sequence())).toBe(kept);
  expect(asks).toHaveLength(2);
  clock.now = 31_000;
  expect(await authorizer.recall(question, sequence())).toBe(kept);
  expect(asks).toHaveLength(3);
  await asks[2]?.answer();
  expect(await authorizer.recall(question, sequence())).not.toBe(kept);
});

test('with no room for answers every request asks', async () => {
  const { authorizer, asks, sequence } = setUp(0);
  void authorizer.recall(question, sequence());
  void authorizer.recall(question, sequence());
  expect(asks).toHaveLength(2);
});
