import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type { AttemptResult } from '../attempts/result.ts';
import type { Claimed } from './claim-store.ts';
import { type TurnDeps, takeTurn } from './turn.ts';

const endpointId = 'whe_1';

/** An endpoint that has succeeded, so that several attempts may be in flight, and one delivery. */
const claimed: Claimed = {
  endpoint: {
    id: endpointId,
    owner: { businessId: 1, applicationId: '' },
    madeBy: null,
    url: 'https://receiver.example/hook',
    sealedSecrets: new Uint8Array(),
    enabled: true,
    consecutiveOutages: 0,
    lastSuccessAt: new Date(),
  },
  deliveries: [
    {
      ...{ id: 'dlv_1', endpointId, eventId: 'evt_1', type: 'order.created', businessId: 1, sequence: 1 },
      ...{ body: '{}', attempts: 0, round: 0, traceparent: null, erasedAt: null },
    },
  ],
};

const delivered: AttemptResult = {
  ...{ outcome: 'delivered', status: 204, durationMs: 1, responseStart: '' },
  ...{ retryAfterMs: undefined, errorCode: undefined },
};

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A turn that claims one delivery, and nothing afterwards. */
const depsOf = (changes: Partial<TurnDeps>): TurnDeps => ({
  claim: jest.fn<TurnDeps['claim']>().mockResolvedValueOnce(claimed).mockResolvedValue(undefined),
  skip: async () => 0,
  withdraw: async () => undefined,
  checkPermission: async () => 'allowed',
  send: async () => delivered,
  traceAttempt: (_endpoint, _delivery, attempt) => attempt(),
  sign: () => ({ 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' }),
  record: async () => true,
  observe: () => undefined,
  logger: createLogger({ service: 'webhook-service', level: 'silent' }),
  now: () => new Date(),
  ...changes,
});

test('no delivery is sent while identity-service does not confirm the permission', async () => {
  const send = jest.fn(async () => delivered);
  const checkPermission = () => Promise.reject(new Error('identity-service does not respond'));
  const deps = depsOf({ send, checkPermission });
  const turn = takeTurn(deps, { id: 'turn', retryCount: 0, endpointId }, new AbortController().signal);
  await Promise.all([
    expect(turn).rejects.toThrow('does not respond'),
    jest.advanceTimersByTimeAsync(10_000),
  ]);
  expect(send).not.toHaveBeenCalled();
});

test('a turn whose claim fails waits for its attempts in flight, and stores their results', async () => {
  const sent = Promise.withResolvers<AttemptResult>();
  const claim = jest.fn<TurnDeps['claim']>().mockResolvedValueOnce(claimed);
  claim.mockRejectedValue(new Error('no database'));
  const record = jest.fn<TurnDeps['record']>(async () => true);
  const deps = depsOf({ claim, record, send: () => sent.promise });
  const ended = jest.fn();
  const turn = takeTurn(deps, { id: 'turn', retryCount: 0, endpointId }, new AbortController().signal);
  turn.catch(ended);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(claim).toHaveBeenCalledTimes(2);
  expect(ended).not.toHaveBeenCalled();
  sent.resolve(delivered);
  await expect(turn).rejects.toThrow('no database');
  expect(record).toHaveBeenCalledTimes(1);
});
