import { expect, test } from '@jest/globals';
import { hoursTogether } from './hours-together.ts';

test('an hour is that of all callers, and hours keep their order', () => {
  const counts = { count2xx: 1, count4xx: 2, count429: 3, count5xx: 4 };
  const points = [
    { limitId: 'a', start: 0, ...counts },
    { limitId: 'b', start: 0, ...counts },
    { limitId: '', start: 3_600_000, ...counts },
  ];
  expect(hoursTogether(points)).toEqual([
    { start: 0, count2xx: 2, count4xx: 4, count429: 6, count5xx: 8 },
    { start: 3_600_000, ...counts },
  ]);
});
