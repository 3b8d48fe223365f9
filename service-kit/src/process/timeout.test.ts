import { MessageChannel } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { TimeoutError, withTimeout } from './timeout.ts';

function keepBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('work without a result times out', async () => {
  await expect(withTimeout(new Promise(() => undefined), 5)).rejects.toThrow(
    new TimeoutError('timed out after 5 ms'),
  );
});

test('a result that arrived while this process was busy counts', async () => {
  const { port1, port2 } = new MessageChannel();
  const reply = new Promise((resolve) => port1.once('message', resolve));
  const work = withTimeout(reply, 5);
  port2.postMessage('reply');
  keepBusy(50);
  await expect(work).resolves.toBe('reply');
  port1.close();
});

test('an error passes through', async () => {
  await expect(withTimeout(Promise.reject(new Error('refused')), 1_000)).rejects.toThrow('refused');
});
