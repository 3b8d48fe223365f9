import type { Allowed } from './authorization-result.ts';
import { type Claim, createBatcher } from './batcher.ts';

const answer: Allowed = {
  outcome: 'allowed',
  principal: {
    businessId: 1,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'key_1',
    limitId: 'key_1',
    allowedOrigins: [],
  },
  limit: 10,
  generation: 1,
  validUntil: 1e15,
  passport: 'p',
  askedAt: 1,
};

/** A store with room for `room` more requests out of a limit of 10. */
function setUp(room: number) {
  const claims: Claim[] = [];
  const admitOne = createBatcher({
    admit: async (claim) => {
      claims.push(claim);
      const admitted = Math.min(room, claim.wanted);
      const used = 10 - room + admitted;
      return { kind: 'counted', admitted, used, resetMs: 1, retryMs: 2, incarnation: 'i' };
    },
  });
  return { admitOne, claims };
}

test('requests of one turn with one answer are one claim, and each has its own verdict', async () => {
  const { admitOne, claims } = setUp(2);
  const verdicts = await Promise.all([1, 2, 3].map(() => admitOne(answer, 'i')));
  expect(claims).toEqual([{ answer, incarnation: 'i', wanted: 3 }]);
  expect(verdicts).toMatchObject([
    { admitted: true, used: 9 },
    { admitted: true, used: 10 },
    { admitted: false, used: 10 },
  ]);
});

test('another answer or another voucher is another claim', async () => {
  const { admitOne, claims } = setUp(10);
  await Promise.all([admitOne(answer, 'i'), admitOne({ ...answer }, 'i'), admitOne(answer, undefined)]);
  expect(claims.map(({ wanted, incarnation }) => ({ wanted, incarnation }))).toEqual([
    { wanted: 1, incarnation: 'i' },
    { wanted: 1, incarnation: 'i' },
    { wanted: 1, incarnation: undefined },
  ]);
});

test('a request of a later turn is a later claim', async () => {
  const { admitOne, claims } = setUp(10);
  await admitOne(answer, 'i');
  await admitOne(answer, 'i');
  expect(claims).toHaveLength(2);
});

test.each(['stale', 'unavailable'] as const)('%s is everybody’s verdict', async (kind) => {
  const admitOne = createBatcher({ admit: async () => ({ kind, incarnation: undefined }) });
  const verdicts = await Promise.all([admitOne(answer, 'i'), admitOne(answer, 'i')]);
  expect(verdicts).toMatchObject([{ kind }, { kind }]);
});
