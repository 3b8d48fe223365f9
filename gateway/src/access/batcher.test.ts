import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type AdmissionRequest, createBatcher, createPacedSchedule, type Schedule } from './batcher.ts';
import type { KnownEpoch } from './redis-epochs.ts';
import { allowedWith } from './sample-authorization.ts';

const authorization = allowedWith();

const epoch: KnownEpoch = { name: 'i', since: 1, data: { isLost: false } };

/** A limiter with room for `room` more requests out of a limit of 10. */
function setUp(room: number, schedule?: Schedule) {
  const requests: AdmissionRequest[] = [];
  const admit = createBatcher(
    {
      admit: async (request) => {
        requests.push(request);
        const admitted = Math.min(room, request.requested);
        const used = 10 - room + admitted;
        return { kind: 'counted', admitted, used, resetMs: 1, retryMs: 2, epoch: 'i' };
      },
    },
    schedule,
  );
  return { admit, requests };
}

test('requests of one turn with one authorization are one batch, each with its own result', async () => {
  const { admit, requests } = setUp(2);
  const admissions = await Promise.all([1, 2, 3].map(() => admit(authorization, epoch)));
  expect(requests).toEqual([{ authorization, epoch, requested: 3 }]);
  expect(admissions).toMatchObject([
    { admitted: true, used: 9 },
    { admitted: true, used: 10 },
    { admitted: false, used: 10 },
  ]);
});

test('another authorization or another epoch is another batch', async () => {
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

test('a request of a later turn is in a later batch', async () => {
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

describe('on a schedule that is paced', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['performance'] }));
  afterEach(() => void jest.useRealTimers());

  /** A schedule on a clock that the test moves, and how often it has sent. */
  function paced(isBusy: boolean) {
    const clock = { now: 10 };
    const schedule = createPacedSchedule(
      () => isBusy,
      () => clock.now,
    );
    const send = jest.fn();
    return { clock, schedule: () => schedule(send), send };
  }

  test('a process that is not busy sends at the end of each turn', () => {
    const { schedule, send } = paced(false);
    for (let turn = 1; turn <= 3; turn++) {
      schedule();
      expect(send).toHaveBeenCalledTimes(turn - 1);
      jest.advanceTimersByTime(0);
      expect(send).toHaveBeenCalledTimes(turn);
    }
  });

  test('a busy one sends a millisecond after the last time, and at once when that has passed', () => {
    const { clock, schedule, send } = paced(true);
    schedule();
    jest.advanceTimersByTime(0);
    expect(send).toHaveBeenCalledTimes(1);
    schedule();
    jest.advanceTimersByTime(0);
    expect(send).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    expect(send).toHaveBeenCalledTimes(2);
    clock.now += 1;
    schedule();
    jest.advanceTimersByTime(0);
    expect(send).toHaveBeenCalledTimes(3);
  });
});

test('requests of several turns are one batch until the schedule sends', async () => {
  let send = () => {};
  const { admit, requests } = setUp(10, (later) => {
    send = later;
  });
  const first = admit(authorization, epoch);
  await new Promise((resolve) => setImmediate(resolve));
  const second = admit(authorization, epoch);
  expect(requests).toEqual([]);
  send();
  expect(await Promise.all([first, second])).toMatchObject([{ used: 1 }, { used: 2 }]);
  expect(requests).toMatchObject([{ requested: 2 }]);
});
