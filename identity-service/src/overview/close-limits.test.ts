import { expect, test } from '@jest/globals';
import { goneCaller } from '../usage/caller.ts';
import { closeLimits } from './close-limits.ts';

const ids = ['key_a', 'key_b', 'key_c', 'key_d'];
const callers = ids.map(goneCaller);
const limits = ids.map((limitId) => ({ limitId, limit: 10 }));
const hour = (limitId: string, used: number) => ({ limitId, used, observedAt: 0 });

test('a limit is close from four fifths on, and the closest comes first', () => {
  const hours = [hour('key_a', 8), hour('key_b', 7), hour('key_c', 12), hour('key_d', 9)];
  expect(
    closeLimits(limits, hours, callers).map(({ caller, used, left }) => [caller.id, used, left]),
  ).toEqual([
    ['key_c', 12, 0],
    ['key_d', 9, 1],
    ['key_a', 8, 2],
  ]);
});

test('what has left the hour since does not count', () => {
  expect(closeLimits(limits, [], callers)).toEqual([]);
});
