import { expect, jest, test } from '@jest/globals';
import { createLogger } from '../telemetry/logger.ts';
import { startLoop } from './loop.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

test('rounds of a loop follow each other, even after a failed round', async () => {
  const { promise: third, resolve } = Promise.withResolvers<void>();
  let rounds = 0;
  const loop = startLoop({
    name: 'count',
    everyMs: 1,
    round: async () => {
      if (++rounds === 1) throw new Error('first');
      if (rounds === 3) resolve();
    },
    logger,
  });
  await third;
  await loop.stop();
  expect(rounds).toBe(3);
});

test('stop aborts the signal of a round and waits for its end', async () => {
  const steps: string[] = [];
  const loop = startLoop({
    name: 'wait',
    everyMs: 1,
    round: async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      steps.push('ended');
    },
    logger,
  });
  await loop.stop();
  expect(steps).toEqual(['ended']);
});

test('the first round can be delayed, and a stop before it cancels it', async () => {
  jest.useFakeTimers();
  const round = jest.fn(async () => undefined);
  const loop = startLoop({ name: 'late', everyMs: 10, firstAfterMs: 1_000, round, logger });
  await loop.stop();
  jest.advanceTimersByTime(5_000);
  jest.useRealTimers();
  expect(round).not.toHaveBeenCalled();
});

test.each([
  [0, 900],
  [0.999_999, 1_100],
])(
  'the pause varies by a tenth, so that the random number %d makes it %d of 1,000 ms',
  async (random, pauseMs) => {
    jest.useFakeTimers();
    const numbers = jest.spyOn(Math, 'random').mockReturnValue(random);
    const round = jest.fn(async () => undefined);
    const loop = startLoop({ name: 'vary', everyMs: 1_000, round, logger });
    // Timers drop fractions of a millisecond.
    await jest.advanceTimersByTimeAsync(pauseMs - 2);
    expect(round).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(2);
    expect(round).toHaveBeenCalledTimes(2);
    await loop.stop();
    numbers.mockRestore();
    jest.useRealTimers();
  },
);

test('a failed round is repeated after five seconds, regardless of the pause', async () => {
  jest.useFakeTimers();
  const round = jest.fn(async () => {
    throw new Error('lost');
  });
  const loop = startLoop({ name: 'retry', everyMs: 60_000, round, logger });
  await jest.advanceTimersByTimeAsync(5_500);
  expect(round).toHaveBeenCalledTimes(2);
  await loop.stop();
  jest.useRealTimers();
});
