import { expect, test } from '@jest/globals';
import { FairQueue, type Leave, placeBound } from './places.ts';

const queueOf = (places: number, bound: number, maxWaitMs = 60_000) =>
  new FairQueue({ places, boundOf: () => bound, maxWaiting: 4, maxWaitMs });

/** Enters, where a place is there at once. @throws when there is none */
function enterNow(queue: FairQueue, ...keys: string[]): Leave {
  const entered = queue.enter(keys);
  if (entered instanceof Promise) throw new Error('no place');
  return entered;
}

test('one key gets its bound, and others what is left', async () => {
  const queue = queueOf(3, 2);
  const first = enterNow(queue, 'a');
  enterNow(queue, 'a');
  const third = queue.enter(['a']);
  expect(third).toBeInstanceOf(Promise);
  enterNow(queue, 'b');
  expect(queue.taken).toBe(3);
  first();
  expect(await third).toBeInstanceOf(Function);
});

test('every key of a request has to have room', () => {
  const queue = queueOf(10, 1);
  enterNow(queue, 'address:1', 'credential:1');
  expect(queue.enter(['address:1', 'credential:2'])).toBeInstanceOf(Promise);
  expect(queue.enter(['address:2', 'credential:1'])).toBeInstanceOf(Promise);
  enterNow(queue, 'address:2', 'credential:2');
});

test('a place goes to the one that has waited longest and may have it', async () => {
  const queue = queueOf(2, 1);
  const leaveA = enterNow(queue, 'a');
  const leaveB = enterNow(queue, 'b');
  const order: string[] = [];
  const waiting = ['a', 'c', 'd'].map(async (key) => {
    const leave = await queue.enter([key]);
    order.push(key);
    return leave;
  });
  leaveB();
  await waiting[1];
  expect(order).toEqual(['c']);
  leaveA();
  await waiting[0];
  expect(order).toEqual(['c', 'a']);
  expect(queue.waiting).toBe(1);
});

test('a queue that is full, and one that is full for a key, refuses at once', async () => {
  const queue = queueOf(1, 2);
  enterNow(queue, 'a');
  const waits = [queue.enter(['a']), queue.enter(['a']), queue.enter(['b']), queue.enter(['b'])];
  expect(queue.waiting).toBe(4);
  expect(await queue.enter(['a'])).toBeUndefined();
  expect(await queue.enter(['c'])).toBeUndefined();
  expect(waits).toHaveLength(4);
});

test('who has waited too long goes without, and its turn goes to the next', async () => {
  const queue = queueOf(1, 4, 20);
  const leave = enterNow(queue, 'a');
  expect(await queue.enter(['b'])).toBeUndefined();
  expect(queue.waiting).toBe(0);
  const next = queue.enter(['c']);
  leave();
  expect(await next).toBeInstanceOf(Function);
});

test('leaving twice is leaving once', () => {
  const queue = queueOf(2, 2);
  const leave = enterNow(queue, 'a');
  leave();
  leave();
  expect(queue.taken).toBe(0);
  enterNow(queue, 'a');
  enterNow(queue, 'a');
  expect(queue.enter(['a'])).toBeInstanceOf(Promise);
});

test('no credential, no address, and neither pages nor OAuth may have all places', () => {
  for (const key of ['credential:x', 'address:192.0.2.1', 'kind:page', 'kind:oauth']) {
    expect(placeBound(key, 512)).toBeLessThan(512);
  }
  expect(placeBound('kind:api', 512)).toBe(512);
});
