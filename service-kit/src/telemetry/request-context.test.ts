import { expect, test } from '@jest/globals';
import { Stopwatch } from './request-context.ts';

test('durations of consecutive activities add up', () => {
  const watch = new Stopwatch();
  watch.start(100);
  watch.stop(130);
  watch.start(500);
  expect(watch.elapsed(520)).toBe(50);
  watch.stop(540);
  expect(watch.elapsed(9_000)).toBe(70);
});

test('overlapping activities count once', () => {
  const watch = new Stopwatch();
  watch.start(0);
  watch.start(10);
  watch.stop(20);
  watch.stop(30);
  expect(watch.elapsed(40)).toBe(30);
});
