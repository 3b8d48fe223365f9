import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type { Turn, TurnQueue } from './queue.ts';
import { startTurns } from './turns.ts';

const turn: Turn = { id: 'job', retryCount: 0, endpointId: 'whe_1' };

test('a stop waits until the running turns have ended and are completed', async () => {
  const taken = Promise.withResolvers<AbortSignal>();
  const sent = Promise.withResolvers<void>();
  const complete = jest.fn<TurnQueue['complete']>(async () => undefined);
  const take = jest.fn<TurnQueue['take']>(async () => []).mockResolvedValueOnce([turn]);
  const queue: TurnQueue = {
    ...{ take, complete, wake: async () => undefined, wakeLater: async () => undefined },
    ...{ touch: async () => undefined, onWake: () => undefined, recover: async () => undefined },
    ...{ onRecovery: async () => undefined, stop: async () => undefined },
  };
  const turns = startTurns({
    queue,
    takeTurn: async (_turn, signal) => {
      taken.resolve(signal);
      await sent.promise;
    },
    nextDueMs: async () => undefined,
    findForgotten: async () => [],
    logger: createLogger({ service: 'webhook-service', level: 'silent' }),
    maxTurns: 1,
  });
  const signal = await taken.promise;
  const ended = jest.fn();
  const stopped = turns.stop().then(ended);
  expect(signal.aborted).toBe(true);
  for (let i = 0; i < 10; i++) await nextTurn();
  expect(ended).not.toHaveBeenCalled();
  sent.resolve();
  await stopped;
  expect(complete).toHaveBeenCalledWith(turn);
});
