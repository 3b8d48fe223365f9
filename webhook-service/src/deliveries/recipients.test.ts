import { expect, jest, test } from '@jest/globals';
import { type Candidate, createPermissionCheck } from './recipients.ts';

const candidate = (id: string, ageMs = 0): Candidate => ({
  owner: { businessId: 1, applicationId: 'app_1' },
  madeBy: 'per_1',
  delivery: {
    ...{ id, endpointId: 'whe_1', eventId: `evt_${id}`, type: 'order.created', businessId: 7, sequence: 1 },
    ...{ body: '{}', attempts: 0, round: 0, traceparent: null, erasedAt: null },
  },
  turn: 'turn',
  claimedAtMs: performance.now() - ageMs,
});

test('attempts that begin together share one permission check, and each gets its own result', async () => {
  const checkRecipients = jest.fn(async () => [true, false]);
  const check = createPermissionCheck({ checkRecipients, findHeld: async () => new Set() });
  expect(await Promise.all([check(candidate('a')), check(candidate('b'))])).toEqual(['allowed', 'withdrawn']);
  const recipient = { applicationId: 'app_1', businessId: 7, type: 'order.created', madeBy: 'per_1' };
  expect(checkRecipients.mock.calls).toEqual([[[recipient, recipient]]]);
});

test('no attempt is allowed without a response of identity-service', async () => {
  const checkRecipients = () => Promise.reject(new Error('unavailable'));
  const check = createPermissionCheck({ checkRecipients, findHeld: async () => new Set(['a']) });
  await expect(check(candidate('a'))).rejects.toThrow('unavailable');
  await expect(check(candidate('a', 60_000))).rejects.toThrow('unavailable');
});

test('a claim older than a second is read again', async () => {
  const findHeld = jest.fn(async () => new Set(['held']));
  const check = createPermissionCheck({ checkRecipients: async () => [true, true, true], findHeld });
  const asked = [candidate('fresh'), candidate('held', 2_000), candidate('lost', 2_000)];
  expect(await Promise.all(asked.map(check))).toEqual(['allowed', 'allowed', 'gone']);
  const claims = ['held', 'lost'].map((deliveryId) => ({ deliveryId, turn: 'turn', erasedAt: null }));
  expect(findHeld.mock.calls).toEqual([[claims]]);
});
