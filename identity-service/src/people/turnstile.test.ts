import { expect, test } from '@jest/globals';
import { createTurnstile } from './turnstile.ts';

test('never more at once than allowed, in order of arrival, and everybody gets through', async () => {
  const turnstile = createTurnstile(2, 10);
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const work = (n: number) => async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(n);
    if (n === 3) throw new Error('a failure keeps no place');
    return n;
  };
  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => turnstile(work(n))));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(most).toBe(2);
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  await expect(turnstile(async () => 'free')).resolves.toBe('free');
});

test('who comes when the queue is full is sent away', async () => {
  const turnstile = createTurnstile(1, 1);
  const block = Promise.withResolvers<void>();
  const first = turnstile(() => block.promise);
  const second = turnstile(async () => 2);
  await expect(turnstile(async () => 3)).rejects.toMatchObject({ kind: 'unavailable' });
  block.resolve();
  await first;
  await expect(second).resolves.toBe(2);
});
