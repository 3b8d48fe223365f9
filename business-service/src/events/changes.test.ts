import { describe, expect, test } from '@jest/globals';
import { createFeedChanges } from './changes.ts';

const unaborted = () => new AbortController().signal;

describe('a watch', () => {
  test('ends when its business changes, even if the change came before the wait', async () => {
    const changes = createFeedChanges();
    using early = changes.watch(1);
    using late = changes.watch(1);
    using other = changes.watch(2);
    changes.changed(1);
    await early.next(unaborted());
    const stop = new AbortController();
    const first = Promise.race([
      late.next(unaborted()).then(() => 'its business'),
      other.next(stop.signal).then(() => 'another'),
    ]);
    expect(await first).toBe('its business');
    stop.abort();
  });

  test('ends when its signal aborts, and when changes may have been missed', async () => {
    const changes = createFeedChanges();
    using watch = changes.watch(1);
    await watch.next(AbortSignal.abort());
    const next = watch.next(unaborted());
    changes.missed();
    await next;
  });

  test('is refused while 2,000 watches wait, and frees its place when it ends', () => {
    const changes = createFeedChanges();
    const watches = Array.from({ length: 2_000 }, (_, i) => changes.watch(i % 10));
    expect(() => changes.watch(10)).toThrow('too many requests wait for events');
    const [first] = watches;
    first?.[Symbol.dispose]();
    first?.[Symbol.dispose]();
    changes.watch(10);
    expect(() => changes.watch(10)).toThrow('too many requests wait for events');
  });

  test('is refused while 250 watches wait for the same business, so other businesses keep their places', () => {
    const changes = createFeedChanges();
    const watches = Array.from({ length: 250 }, () => changes.watch(1));
    expect(() => changes.watch(1)).toThrow('too many requests wait for events');
    changes.watch(2);
    watches[0]?.[Symbol.dispose]();
    changes.watch(1);
    expect(() => changes.watch(1)).toThrow('too many requests wait for events');
  });
});

describe('a subscription', () => {
  test('yields each changed business once per batch, however often it changed', async () => {
    const changes = createFeedChanges();
    const stop = new AbortController();
    const subscription = changes.subscribe(stop.signal);
    const first = subscription.next();
    changes.changed(1);
    expect(await first).toEqual({ done: false, value: [1] });
    for (let i = 0; i < 1_200; i++) changes.changed(i % 600);
    const sizes = [await subscription.next(), await subscription.next()].map(({ value }) => value?.length);
    expect(sizes).toEqual([500, 100]);
    const last = subscription.next();
    stop.abort();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  test('fails when changes were missed, including those beyond its capacity', async () => {
    for (const lose of ['missed', 'too many']) {
      const changes = createFeedChanges();
      const subscription = changes.subscribe(unaborted());
      const next = subscription.next();
      if (lose === 'missed') changes.missed();
      else for (let i = 0; i <= 10_000; i++) changes.changed(i);
      await expect(next).rejects.toMatchObject({ kind: 'unavailable', reason: 'changes_missed' });
    }
  });
});
