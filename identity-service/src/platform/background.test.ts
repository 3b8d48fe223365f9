import { expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createBackground } from './background.ts';

const newBackground = (registry = createRegistry('test')) =>
  createBackground(createLogger({ service: 'test', level: 'silent' }), registry);

test('background work begins after the request has sent its response without waiting for I/O', async () => {
  const order: string[] = [];
  const background = newBackground();
  background.run('mail', async () => order.push('work'));
  order.push('response');
  for (let n = 0; n < 100; n++) await Promise.resolve();
  order.push('later promises of the response');
  await background.settle();
  expect(order).toEqual(['response', 'later promises of the response', 'work']);
});

test('background work beyond 200 tasks is refused, and accepted once tasks have ended', async () => {
  const background = newBackground();
  const { promise, resolve } = Promise.withResolvers<void>();
  const accepted = Array.from({ length: 201 }, () => background.run('mail', () => promise));
  expect([accepted.filter((each) => each).length, accepted.at(-1)]).toEqual([200, false]);
  resolve();
  await background.settle();
  expect(background.run('mail', async () => undefined)).toBe(true);
});

test('a failed task does not affect other background work', async () => {
  const background = newBackground();
  background.run('mail', () => Promise.reject(new Error('broken')));
  await background.settle();
});

test('the counter of failures starts at 0, so that the first failure is an increase', async () => {
  const registry = createRegistry('test');
  const background = newBackground(registry);
  const counts = async () => {
    const lines = (await registry.metrics()).split('\n');
    const failures = lines.filter((line) =>
      /^identity_background_work_total.*outcome="(failed|dropped)"/.test(line),
    );
    return failures.map((line) => line.replace(/.* /, ''));
  };
  expect(await counts()).toEqual(Array(14).fill('0'));
  background.run('failed login', () => Promise.reject(new Error('broken')));
  await background.settle();
  expect((await counts()).toSorted()).toEqual([...Array(13).fill('0'), '1']);
});
