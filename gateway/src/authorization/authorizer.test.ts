import type { Allowed, Answer, Question } from './answer.ts';
import { createAuthorizer } from './authorizer.ts';
import { createSequence } from './sequence.ts';

const question: Question = {
  bearer: 'sk_x',
  clientIp: '1.1.1.1',
  requiredScope: 'orders:read',
  requestId: 'r',
};
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
    sequence,
    monotonicNow: () => clock.now,
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

test.each(['invalid', 'expired', 'frozen', 'scope_denied', 'ip_denied'] as const)(
  '%s is never kept',
  async (outcome) => {
    const { authorizer, asks, sequence } = setUp();
    const first = authorizer.recall(question, sequence());
    await asks[0]?.answer({ outcome });
    expect(await first).toEqual({ outcome });
    void authorizer.recall(question, sequence());
    expect(asks).toHaveLength(2);
  },
);

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

test('no answer is no answer for everybody who waits, without asking again', async () => {
  const { authorizer, asks, sequence } = setUp();
  const first = authorizer.askAfter(question, sequence());
  const late = authorizer.askAfter(question, sequence());
  await asks[0]?.answer(unavailable);
  expect([await first, await late]).toEqual([unavailable, unavailable]);
  expect(asks).toHaveLength(1);
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
  const next = authorizer.recall(question, sequence());
  await asks[2]?.answer({ outcome: 'invalid' });
  expect(await next).toEqual({ outcome: 'invalid' });
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
  void authorizer.recall(question, sequence());
  expect(asks).toHaveLength(3);
});

test('with no room for answers every request asks', async () => {
  const { authorizer, asks, sequence } = setUp(0);
  void authorizer.recall(question, sequence());
  void authorizer.recall(question, sequence());
  expect(asks).toHaveLength(2);
});
