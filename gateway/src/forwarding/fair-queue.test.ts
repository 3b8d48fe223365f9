import { describe, expect, test } from '@jest/globals';
import { FairQueue, type Release, slotLimit, waitSlotLimit } from './fair-queue.ts';

const queueOf = (slots: number, bound: number, maxWaitMs = 60_000) =>
  new FairQueue({ slots, limitFor: () => bound, maxWaiting: 4, maxWaitMs });

/**
 * Acquires a slot that is free.
 * @throws when there is none
 */
function acquireNow(queue: FairQueue, ...keys: string[]): Release {
  const acquired = queue.acquire(keys);
  if (acquired instanceof Promise) throw new Error('no free slot');
  return acquired;
}

test('one key gets slots up to its limit, and the rest stay free for others', async () => {
  const queue = queueOf(3, 2);
  const first = acquireNow(queue, 'a');
  acquireNow(queue, 'a');
  const third = queue.acquire(['a']);
  expect(third).toBeInstanceOf(Promise);
  acquireNow(queue, 'b');
  expect(queue.inUse).toBe(3);
  first();
  expect(await third).toBeInstanceOf(Function);
});

test('every key of a request must be below its limit', () => {
  const queue = queueOf(10, 1);
  acquireNow(queue, 'address:1', 'credential:1');
  expect(queue.acquire(['address:1', 'credential:2'])).toBeInstanceOf(Promise);
  expect(queue.acquire(['address:2', 'credential:1'])).toBeInstanceOf(Promise);
  acquireNow(queue, 'address:2', 'credential:2');
});

test('a free slot goes to the longest waiting request whose keys are below their limits', async () => {
  const queue = queueOf(2, 1);
  const releaseA = acquireNow(queue, 'a');
  const releaseB = acquireNow(queue, 'b');
  const order: string[] = [];
  const waiting = ['a', 'c', 'd'].map(async (key) => {
    const release = await queue.acquire([key]);
    order.push(key);
    return release;
  });
  releaseB();
  await waiting[1];
  expect(order).toEqual(['c']);
  releaseA();
  await waiting[0];
  expect(order).toEqual(['c', 'a']);
  expect(queue.waiting).toBe(1);
});

test('a release admits all that waited for one of its keys', async () => {
  const queue = queueOf(10, 1);
  const release = acquireNow(queue, 'address:1', 'credential:1');
  const waiting = [
    queue.acquire(['address:1', 'credential:2']),
    queue.acquire(['address:2', 'credential:1']),
  ];
  release();
  for (const each of waiting) expect(await each).toBeInstanceOf(Function);
});

test('a full queue, or one full for a key, refuses at once', async () => {
  const queue = queueOf(1, 2);
  acquireNow(queue, 'a');
  const waitOutcomes = [
    queue.acquire(['a']),
    queue.acquire(['a']),
    queue.acquire(['b']),
    queue.acquire(['b']),
  ];
  expect(queue.waiting).toBe(4);
  expect(await queue.acquire(['a'])).toBeUndefined();
  expect(await queue.acquire(['c'])).toBeUndefined();
  expect(waitOutcomes).toHaveLength(4);
});

test('a request that has waited too long is refused, and the next one gets its turn', async () => {
  const queue = queueOf(1, 4, 20);
  const release = acquireNow(queue, 'a');
  expect(await queue.acquire(['b'])).toBeUndefined();
  expect(queue.waiting).toBe(0);
  const next = queue.acquire(['c']);
  release();
  expect(await next).toBeInstanceOf(Function);
});

describe('a refused request counts against', () => {
  const queueFor = (maxWaiting: number, maxWaitMs: number) =>
    new FairQueue({ slots: 8, limitFor: slotLimit, maxWaiting, maxWaitMs });
  const api = (client: string) => ['kind:api', `address:${client}`, `business:${client}`];
  const page = (client: string) => ['kind:page', `address:${client}`];
  const take = (queue: FairQueue, slots: number, keysOf: (client: string) => string[]) => {
    for (let slot = 0; slot < slots; slot++) acquireNow(queue, ...keysOf(`${Math.floor(slot / 2)}`));
  };

  test.each([
    ['the share of its client: slots are free for others', 2, api, '0', { refused_share: 1 }],
    ['the share of its client, also while others take the rest', 8, api, '0', { refused_share: 1 }],
    ['all slots', 8, api, 'other', { refused: 1 }],
    ['all slots of its kind', 6, page, 'other', { refused: 1 }],
  ])('%s', async (_, taken, keysOf, client, counted) => {
    for (const [maxWaiting, maxWaitMs] of [
      [0, 60_000],
      [8, 1],
    ] as const) {
      const queue = queueFor(maxWaiting, maxWaitMs);
      take(queue, taken, keysOf);
      expect(await queue.acquire(keysOf(client))).toBeUndefined();
      expect(queue.waitOutcomes).toEqual({ admitted: 0, refused: 0, refused_share: 0, ...counted });
    }
  });
});

test('a second release does nothing', () => {
  const queue = queueOf(2, 2);
  const release = acquireNow(queue, 'a');
  release();
  release();
  expect(queue.inUse).toBe(0);
  acquireNow(queue, 'a');
  acquireNow(queue, 'a');
  expect(queue.acquire(['a'])).toBeInstanceOf(Promise);
});

test('no credential, no business, no address, and neither pages nor OAuth can use all slots', () => {
  for (const key of ['credential:x', 'business:1', 'address:192.0.2.1', 'kind:page', 'kind:oauth']) {
    expect(slotLimit(key, 512)).toBeLessThan(512);
  }
  expect(slotLimit('kind:api', 512)).toBe(512);
});

test.each([
  ['credential:x', 16],
  ['business:1', 64],
  ['address:192.0.2.1', 64],
  ['kind:api', 512],
])('of the 512 waiting places, %s has at most %i', (key, limit) => {
  expect(waitSlotLimit(key, 512)).toBe(limit);
});
