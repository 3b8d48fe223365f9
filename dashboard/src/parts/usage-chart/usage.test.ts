import { expect, test } from '@jest/globals';
import { describeUsage } from './usage.ts';

const day = (
  at: string,
  counts: Partial<Record<'successful' | 'refused' | 'limited' | 'failed', number>>,
) => ({
  at,
  successful: 0,
  refused: 0,
  limited: 0,
  failed: 0,
  ...counts,
});

test('usage is summed up by class, with its busiest day', () => {
  const points = [
    day('2026-11-20T00:00:00Z', { successful: 1_200, refused: 3 }),
    day('2026-11-21T00:00:00Z', { successful: 40, limited: 2, failed: 1 }),
  ];
  expect(describeUsage(points, 'day')).toBe(
    '1,246 requests from 20 Nov to 21 Nov: 1,240 with 2xx, 3 with 4xx, 2 with 429, 1 with 5xx. The busiest day was 20 Nov with 1,203.',
  );
});

test.each([[[]], [[day('2026-11-20T00:00:00Z', {})]]])('without requests it says so', (points) => {
  expect(describeUsage(points, 'day')).toBe('No requests in this time.');
});
