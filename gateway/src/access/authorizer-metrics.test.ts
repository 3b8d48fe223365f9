import { beforeEach, expect, test } from '@jest/globals';
import { createRegistry, type Registry } from '@platform/service-kit/metrics.ts';
import type { Allowed, Answer, Question } from './authorization-result.ts';
import { type Authorizer, createAuthorizer, createSequence } from './authorizer.ts';
import { countAnswers } from './authorizer-metrics.ts';

const question: Question = {
  bearer: 'sk_x',
  clientIp: '1.1.1.1',
  requiredScope: '',
  requestId: 'r',
  beganAt: 0,
};

const allowed = (askedAt: number): Allowed => ({
  outcome: 'allowed',
  principal: {
    businessId: 1,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'k',
    limitId: 'k',
    allowedOrigins: [],
  },
  limit: 10,
  generation: 1,
  validUntil: 1,
  passport: 'p',
  askedAt,
});

let registry: Registry;

let authorizer: Authorizer;

let now: number;

let given: Answer['outcome'];

const sequence = createSequence();

beforeEach(() => {
  registry = createRegistry('test');
  now = 0;
  given = 'allowed';
  const ask = async (_: Question, askedAt: number): Promise<Answer> =>
    given === 'allowed' ? allowed(askedAt) : { outcome: 'unavailable' };
  authorizer = countAnswers(
    ask,
    (counted) =>
      createAuthorizer({
        ask: counted,
        mayBeIssued: () => true,
        sequence,
        monotonicNow: () => now,
        budgetMs: 1_000,
        maxAnswers: 10,
      }),
    registry,
  );
});

const recall = () => authorizer.recall(question, sequence());

async function counts(name = 'gateway_answers_total'): Promise<Record<string, number>> {
  const values = (await registry.getSingleMetric(name)?.get())?.values ?? [];
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(), value]));
}

test('an answer that was not kept is a miss, a kept one a hit, one that grows old renewed', async () => {
  await recall();
  expect(await counts()).toEqual({ miss: 1 });
  await recall();
  await recall();
  expect(await counts()).toEqual({ miss: 1, hit: 2 });
  now = 25_000;
  await recall();
  expect(await counts()).toEqual({ miss: 1, hit: 2, renewed: 1 });
  expect(await counts('gateway_identity_answers_total')).toEqual({ allowed: 2 });
});

test('a request that needs the same answer shares the question', async () => {
  const since = sequence();
  const first = authorizer.recall(question, since);
  await Promise.all([first, authorizer.recall(question, since)]);
  expect(await counts()).toEqual({ miss: 1, shared: 1 });
});

test('while identity-service does not answer, a kept answer that is due is overdue', async () => {
  await recall();
  given = 'unavailable';
  now = 31_000;
  await recall();
  await recall();
  expect(await counts()).toEqual({ miss: 2, overdue: 1 });
  expect(await counts('gateway_identity_answers_total')).toEqual({ allowed: 1, unavailable: 1 });
});

test('what Redis does not vouch for is stale', async () => {
  await authorizer.askAfter(question, sequence());
  expect(await counts()).toEqual({ stale: 1 });
});
