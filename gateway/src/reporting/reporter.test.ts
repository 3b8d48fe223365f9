import { expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { startReporter } from './reporter.ts';

const never = 2_147_483_647;

/** Reports until one fails, by stopping, with sends that end as listed. Resolves to the batches sent and the count of drops. */
async function reportOnce(batches: string[], ends: (Error | undefined)[], droppedCount = 0) {
  const dropped = new Counter({ name: 'd', help: 'd', registers: [createRegistry('test')] });
  const sent: string[] = [];
  const counts = [droppedCount];
  const reporter = startReporter({
    name: 'test',
    take: () => batches.shift(),
    send: async (batch) => {
      sent.push(batch);
      const error = ends.shift();
      if (error !== undefined) throw error;
    },
    takeDroppedCount: () => counts.shift() ?? 0,
    dropped,
    everyMs: never,
    maxBatches: 5,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  await reporter.stop();
  const again = async () => {
    await reporter.stop();
    return sent;
  };
  return { sent: [...sent], again, dropped: (await dropped.get()).values[0]?.value };
}

const unreachable = new AppError('unavailable', 'grpc_unavailable', 'gone');

test('all remaining batches are sent at shutdown', async () => {
  const batches = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { sent } = await reportOnce([...batches], []);
  expect(sent).toEqual(batches);
});

test('a failed batch is sent again before new batches', async () => {
  const { sent, again } = await reportOnce(['a', 'b'], [unreachable]);
  expect(sent).toEqual(['a']);
  expect(await again()).toEqual(['a', 'a', 'b']);
});

test('a batch that is rejected as invalid is dropped', async () => {
  const { again } = await reportOnce(['a', 'b'], [new AppError('invalid_argument', 'invalid', 'no')]);
  expect(await again()).toEqual(['a', 'b']);
});

test('records dropped by the buffer are counted, even while sending fails', async () => {
  const { dropped } = await reportOnce(['a'], [unreachable], 7);
  expect(dropped).toBe(7);
});
