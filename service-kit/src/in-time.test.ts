import { stat } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { inTime } from './in-time.ts';

function keepBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('what is silent for too long is given up', async () => {
  await expect(inTime(new Promise(() => undefined), 5)).rejects.toThrow('no answer within 5 ms');
});

test('what arrived while this process was busy is in time', async () => {
  const work = inTime(stat('.'), 5);
  keepBusy(50);
  await expect(work).resolves.toBeDefined();
});

test('a failure is passed on', async () => {
  await expect(inTime(Promise.reject(new Error('refused')), 1_000)).rejects.toThrow('refused');
});
