import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { currentRequest, inRequest } from '../telemetry/request-context.ts';
import { createTurns } from './turns.ts';

const longMs = 60_000;

/** Work that goes on until it is ended. */
function pendingWork() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  return { work: () => promise, end };
}

test('work on one key runs in order, one at a time, and work on another key does not wait for it', async () => {
  const runInTurn = createTurns(longMs);
  const begun: string[] = [];
  const first = pendingWork();
  const begin = (name: string) => async () => void begun.push(name);
  const done = [runInTurn(1, first.work), runInTurn(1, begin('second')), runInTurn(1, begin('third'))];
  await runInTurn(2, begin('another'));
  expect(begun).toEqual(['another']);
  first.end();
  await Promise.all(done);
  expect(begun).toEqual(['another', 'second', 'third']);
});

test('work that fails rejects for its caller, and the next work runs', async () => {
  const runInTurn = createTurns(longMs);
  const failed = runInTurn(1, () => Promise.reject(new Error('failed')));
  const next = runInTurn(1, async () => 'next');
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('work that waits too long for its turn is refused, never runs, and does not delay other work', async () => {
  const runInTurn = createTurns(1);
  const first = pendingWork();
  const done = runInTurn(1, first.work);
  let hasRun = false;
  const late = runInTurn(1, async () => {
    hasRun = true;
  });
  await expect(late).rejects.toMatchObject({ kind: 'unavailable', reason: 'database_unavailable' });
  first.end();
  await done;
  expect(await runInTurn(1, async () => 'free')).toBe('free');
  expect(hasRun).toBe(false);
});

test('earlier waits for connections shorten the wait for a turn, and a free turn needs no wait', async () => {
  const runInTurn = createTurns(longMs);
  const first = pendingWork();
  const done = runInTurn(1, first.work);
  await inRequest('request', async () => {
    currentRequest()?.connectionWaits.start(performance.now() - longMs);
    currentRequest()?.connectionWaits.stop(performance.now());
    await expect(runInTurn(1, async () => 'late')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await runInTurn(2, async () => 'free')).toBe('free');
  });
  first.end();
  await done;
});

test('the time that a request waits for its turn is added to its waits for connections', async () => {
  const runInTurn = createTurns(longMs);
  const first = pendingWork();
  const done = runInTurn(1, first.work);
  await inRequest('request', async () => {
    const elapsed = () => currentRequest()?.connectionWaits.elapsed(performance.now()) ?? 0;
    const waiting = runInTurn(1, pause.bind(undefined, 1));
    await pause(5);
    expect(elapsed()).toBeGreaterThan(0);
    first.end();
    await waiting;
  });
  await done;
});
