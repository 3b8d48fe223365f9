import { allowedWith } from '../../testing/sample-authorization.ts';
import { type AdmissionRequest, createBatcher } from './batcher.ts';
import type { KnownEpoch } from './redis-epochs.ts';

const authorization = allowedWith();

const epoch: KnownEpoch = { name: 'i', since: 1, data: { isLost: false } };

/** A limiter with room for `room` more requests out of a limit of 10. */
function setUp(room: number) {
  const requests: AdmissionRequest[] = [];
  const admit = createBatcher({
    admit: async (request) => {
      requests.push(request);
      const admitted = Math.min(room, request.requested);
      const used = 10 - room + admitted;
      return { kind: 'counted', admitted, used, resetMs: 1, retryMs: 2, epoch: 'i' };
    },
  });
  return { admit, requests };
}

test('requests of one event-loop turn with the same authorization form a batch, each with its own result', async () => {
  const { admit, requests } = setUp(2);
  const admissions = await Promise.all([1, 2, 3].map(() => admit(authorization, epoch)));
  expect(requests).toEqual([{ authorization, epoch, requested: 3 }]);
  expect(admissions).toMatchObject([
    { admitted: true, used: 9 },
    { admitted: true, used: 10 },
    { admitted: false, used: 10 },
  ]);
});

test('requests with different authorizations or epochs are in different batches', async () => {
  const { admit, requests } = setUp(10);
  await Promise.all([
    admit(authorization, epoch),
    admit({ ...authorization }, epoch),
    admit(authorization, undefined),
  ]);
  expect(requests.map((request) => [request.requested, request.epoch])).toEqual([
    [1, epoch],
    [1, epoch],
    [1, undefined],
  ]);
});

test('a request of a later event-loop turn is in a later batch', async () => {
  const { admit, requests } = setUp(10);
  await admit(authorization, epoch);
  await admit(authorization, epoch);
  expect(requests).toHaveLength(2);
});

test.each(['stale', 'unavailable'] as const)(
  '%s is the result of every request in the batch',
  async (kind) => {
    const admit = createBatcher({ admit: async () => ({ kind, epoch: undefined }) });
    const admissions = await Promise.all([admit(authorization, epoch), admit(authorization, epoch)]);
    expect(admissions).toMatchObject([{ kind }, { kind }]);
  },
);
